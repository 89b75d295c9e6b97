/* SPDX-License-Identifier: MIT */
/*
 * The hidden source "task": names, starts and ends of tasks. From them readers of the file know the
 * task names of other sources' events, and the task filter (capture/task/taskfilter.h) the followed
 * tasks.
 */
#include "config.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/source.h"
#include "capture/sys/clock.h"
#include "capture/task/crash.h"
#include "capture/task/task.h"
#include "capture/task/taskfilter.h"
#include "capture/trace/drain.h"
#include "capture/trace/trace.h"
#include "capture/tracefs/pidfilter.h"
#include "capture/tracefs/tracefs.h"
#include "common/array.h"
#include "common/sources.h"

enum { TASK_BUFFER_KB = 2048 };

static const char *const task_events[][2] = {
	{ "task", "task_newtask" },
	{ "task", "task_rename" },
	{ "sched", "sched_process_exec" },
	{ "sched", "sched_process_exit" },
};

/* A signal without a handler, which may end its task. Ignored signals are not delivered. */
static const char *const fatal_signal[] = { "signal", "signal_deliver", "sa_handler == 0" };

/*
 * Returns the task of an event: its first field with a TID (exec also has the former TID); 0 if
 * none.
 */
static pid_t subject(const struct trace_event *e, const struct ring_event *ev)
{
	int32_t tid;

	for (uint32_t i = 0; i < e->nfields; i++) {
		if (e->fields[i].kind != TRAWL_PID || e->fields[i].offset + 4u > ev->len)
			continue;
		memcpy(&tid, ev->data + e->fields[i].offset, sizeof(tid));
		return tid;
	}
	return 0;
}

/* Returns the 32-bit number at an offset of a record; 0: it is shorter. */
static int32_t word_at(const struct ring_event *ev, uint32_t at)
{
	int32_t word = 0;

	if (ev->len >= at + sizeof(word))
		memcpy(&word, ev->data + at, sizeof(word));
	return word;
}

/* Returns the task that had the event: common_pid. */
static pid_t current_task(const struct ring_event *ev)
{
	return word_at(ev, 4);
}

/* The signal is the first field of signal_deliver, after the 8 bytes of common fields. */
static int signal_of(const struct ring_event *ev)
{
	return word_at(ev, 8);
}

/* Whether task_newtask made a thread of its process. clone_flags is its only field of 8 bytes. */
static bool makes_thread(const struct trace_event *e, const struct ring_event *ev)
{
	for (uint32_t i = 0; i < e->nfields; i++)
		if (e->fields[i].size == 8)
			return word_at(ev, e->fields[i].offset) & CLONE_THREAD;
	return false;
}

static void look(struct trace *t, const struct trace_event *e, const struct ring_event *ev)
{
	struct tasks *tasks = session_tasks(t->in->session);
	struct task_filter *followed = session_followed(t->in->session);
	struct crash *crash = session_crash(t->in->session);
	bool exec = !strcmp(e->name, "sched_process_exec");
	pid_t tid = subject(e, ev);

	if (!strcmp(e->name, fatal_signal[1])) {
		if (crash)
			crash_on_signal(crash, current_task(ev), signal_of(ev), ev->ts);
		return;
	}
	if (!strcmp(e->name, "sched_process_exit"))
		task_filter_end(followed, tid, ev->ts);
	if (!exec && strcmp(e->name, "task_newtask"))
		return;
	if (crash && !exec)
		crash_on_task(crash, current_task(ev), tid, makes_thread(e, ev));
	/* The TID may have been an earlier task's, or the task may have called exec. */
	task_filter_begin(followed, tid, ev->ts);
	tasks_forget(tasks, tid);
	if (exec)
		tasks_saw(tasks, tid);
}

struct listing {
	struct task_filter *followed;
	uint8_t *bits; /* a bit for each TID in the list; or NULL */
};

static void found(void *arg, pid_t tid)
{
	struct listing *l = arg;

	task_filter_found(l->followed, tid);
	if (l->bits && (uint32_t)tid < l->followed->max)
		l->bits[tid / 8] |= (uint8_t)(1 << (tid % 8));
}

/*
 * Adds the tasks in the kernel's list (set_event_pid): it also has those that started before the
 * capture, and those whose start was lost.
 */
static int take_list(struct trace *t, struct task_filter *followed, struct trawl_error *err)
{
	struct listing l = { .followed = followed };
	bool lost = t->lost != followed->lost;
	uint64_t now = mono_now();
	int r;

	if (lost)
		l.bits = calloc(followed->max / 8 + 1, 1);
	if (lost && !l.bits)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	r = pidfilter_each(t->dir, found, &l, err);
	if (!r && lost) {
		task_filter_keep(followed, l.bits, now);
		followed->unsure = mono_now();
		followed->lost = t->lost;
	}
	free(l.bits);
	return r;
}

static int task_learn(struct input *in, struct task_filter *followed, struct trawl_error *err)
{
	struct trace *t = in->state;
	uint64_t now = mono_now();
	int r;

	/* Limited: tasks may start faster than their starts are read. */
	do
		r = trace_drain(in, err);
	while (r > 0 && trace_reached(in) < now);
	if (r < 0 || take_list(t, followed, err))
		return -1;
	followed->known = now;
	return 0;
}

/* Limits the recording to the scope. Other sources copy its list of tasks (trace_limit()). */
static int limit(struct trace *t, struct trawl_error *err)
{
	const pid_t *pids;
	size_t n = session_scope(t->in->session, &pids);

	t->filtered = n > 0;
	return n ? pidfilter_set(t->dir, pids, n, err) : 0;
}

/* Adds the event GROUP/NAME, if the kernel has it. */
static int add(struct trace *t, const char *group, const char *name, const char *filter,
	       struct trawl_error *err)
{
	char path[96], display[64];

	snprintf(path, sizeof(path), "events/%s/%s/enable", group, name);
	snprintf(display, sizeof(display), "%s:%s", group, name);
	if (!tracefs_has(t->top, path))
		return 0;
	return trace_add(t, &(struct trace_wanted){
		.group = group, .name = name, .display = display, .filter = filter }, err);
}

static int task_arm(struct input *in, struct trawl_error *err)
{
	uint32_t kb = session_options(in->session)->buffer_kb;
	struct trace *t = trace_new(in, kb && kb < TASK_BUFFER_KB ? kb : TASK_BUFFER_KB, err);

	if (!t || limit(t, err))
		return -1;
	t->look = look;
	for (size_t i = 0; i < ARRAY_SIZE(task_events); i++) {
		if (add(t, task_events[i][0], task_events[i][1], "", err))
			return -1;
	}
	return session_crash(in->session) ?
	       add(t, fatal_signal[0], fatal_signal[1], fatal_signal[2], err) : 0;
}

/* Reads the initial tasks: later ones have an event. */
static int task_discard(struct input *in, struct trawl_error *err)
{
	struct initial_tasks *initial = &session_tasks(in->session)->initial;

	if (trace_discard(in, err))
		return -1;
	if (!session_tasks(in->session)->unknown)
		initial_tasks_take(initial);
	if (initial->incomplete)
		session_incomplete(in->session, "task: out of memory; names of some tasks that "
						"existed at the start are not in the file");
	return 0;
}

const struct source task_source = {
	.name = TASK_SOURCE,
	.summary = "names, starts and ends of tasks",
	.hidden = true,
	.arm = task_arm,
	.start = trace_start,
	.discard = task_discard,
	TRACE_SOURCE,
	.drain = trace_drain,
	.reached = trace_reached,
	.learn = task_learn,
	.close = trace_close,
	.stats = trace_stats,
	.disarm = trace_disarm,
};
