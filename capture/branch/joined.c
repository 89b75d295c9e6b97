/* SPDX-License-Identifier: MIT */
/*
 * The back end "perf-joined" samples the last branches so often that the samples overlap, and joins
 * them into one stream. Each sample has the number of branches that its task has taken on its CPU:
 * this gives the number of new branches in a stack, and of branches between two stacks. When a task
 * leaves its CPU, Linux discards the branches since its last sample; they are counted as lost.
 *
 * Linux has no counts in samples of inherited events. So there are two kinds of events: a dummy
 * event, which is inherited, reports tasks and mappings; sampling events are opened for each task
 * when perf reports its fork. What a new task does before that is marked as lost.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/branch/backend.h"
#include "capture/branch/execs.h"
#include "capture/branch/forks.h"
#include "capture/branch/join.h"
#include "capture/branch/perfring.h"
#include "capture/branch/stack.h"
#include "capture/sys/alloc.h"
#include "capture/sys/clock.h"
#include "capture/sys/proc.h"
#include "common/branchrecord.h"

enum { PAGES = 1024 };

static const uint64_t MATURE_NS = 20000000; /* after so long the records of all CPUs have been
					     * written */

struct joined_cpu {
	int fd; /* -1: none, the CPU is offline */
	uint64_t id, count, idle; /* values of the last sample */
};

struct joined_task {
	uint32_t tid, pid;
	bool late;   /* it ran before its events were opened, and no sample has come since */
	bool broken; /* an unknown number of branches is missing before its next sample */
	bool cleared; /* Linux has cleared the records since its last sample: it came to a CPU */
	size_t cpu;  /* CPU of its last sample */
	uint64_t time; /* time of its last sample; 0: none */
	struct branch_stack last;
	struct joined_cpu cpus[];
};

struct joined_state {
	struct perf_ring ring;
	uint64_t until; /* all records up to this time have been taken */
	struct forks forks;
	struct branch_scope scope;
	struct execs execs;
	struct perf_event_attr attr; /* attributes of the sampling events */
	struct joined_task **tasks;
	size_t ntasks;
	size_t found; /* index of the task that was last found */
	bool begun, stopped;
	bool blind; /* a CPU was offline when recording began: it has no events */
};

/* ---- tasks ------------------------------------------------------------------------------- */

static int open_event(struct joined_state *s, const struct perf_event_attr *a, pid_t tid, size_t i)
{
	const struct perf_cpu *c = &s->ring.cpus[i];
	int fd = c->ring ? (int)syscall(SYS_perf_event_open, a, tid, c->cpu, -1,
					PERF_FLAG_FD_CLOEXEC)
			 : -1;

	if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, c->fd)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Opens the events of a task, which count at once if it runs. Returns how many. */
static unsigned int add_task(struct joined_state *s, pid_t tid, pid_t pid, bool late)
{
	unsigned int n = 0;
	struct perf_event_attr a = s->attr;
	struct joined_task *t =
		xcalloc(1, sizeof(*t) + s->ring.ncpus * sizeof(struct joined_cpu));

	a.disabled = !late;
	a.enable_on_exec = !late && s->scope.command;
	t->tid = (uint32_t)tid;
	t->pid = (uint32_t)pid;
	t->late = late;
	for (size_t i = 0; i < s->ring.ncpus; i++) {
		struct joined_cpu *c = &t->cpus[i];

		c->fd = open_event(s, &a, tid, i);
		if (c->fd >= 0 && ioctl(c->fd, PERF_EVENT_IOC_ID, &c->id))
			c->id = 0;
		n += c->fd >= 0;
	}
	xgrow(s->tasks, s->ntasks);
	s->tasks[s->ntasks++] = t;
	return n;
}

static void free_task(struct joined_state *s, struct joined_task *t)
{
	for (size_t i = 0; i < s->ring.ncpus; i++) {
		if (t->cpus[i].fd >= 0)
			close(t->cpus[i].fd);
	}
	free(t);
}

static struct joined_task *find_task(struct joined_state *s, uint32_t tid)
{
	for (size_t i = 0; i < s->ntasks; i++) {
		if (s->tasks[i]->tid == tid)
			return s->tasks[i];
	}
	return NULL;
}

static void add_forked(void *arg, pid_t pid, pid_t tid)
{
	struct joined_state *s = arg;

	if (!find_task(s, (uint32_t)tid))
		add_task(s, tid, pid, true);
}

/* Returns the task of the event with this ID, and its CPU. */
static struct joined_task *find_event(struct joined_state *s, uint64_t id, size_t *cpu)
{
	for (size_t n = 0; n < s->ntasks; n++) {
		size_t at = (s->found + n) % s->ntasks;

		for (*cpu = 0; *cpu < s->ring.ncpus; ++*cpu) {
			if (s->tasks[at]->cpus[*cpu].id == id) {
				s->found = at;
				return s->tasks[at];
			}
		}
	}
	return NULL;
}

/* ---- a recording ------------------------------------------------------------------------- */

static int usable(struct trawl_error *err)
{
	static const char lbr[] = "branch:perf-lbr: ";
	struct trawl_error why;
	uint64_t config;

	/* It needs what perf-lbr needs. */
	if (perf_lbr_backend.usable(&why))
		return trawl_fail(err, TRAWL_CANNOT, "branch:perf-joined: %s",
				  strncmp(why.text, lbr, strlen(lbr)) ? why.text
								      : why.text + strlen(lbr));
	return join_find_event(&config, err);
}

static void close_state(void *state)
{
	struct joined_state *s = state;

	for (size_t i = 0; i < s->ntasks; i++)
		free_task(s, s->tasks[i]);
	free(s->tasks);
	execs_free(&s->execs);
	forks_close(&s->forks);
	perf_ring_close(&s->ring);
	free(s);
}

struct adding {
	struct joined_state *s;
	pid_t pid;
	unsigned int events;
};

static void add_thread(void *arg, pid_t tid)
{
	struct adding *a = arg;

	a->events += add_task(a->s, tid, a->pid, false);
}

static void *open_joined(const struct branch_scope *scope, struct trawl_error *err)
{
	struct perf_event_attr follow = { 0 };
	struct joined_state *s = xcalloc(1, sizeof(*s));
	struct adding a = { .s = s };
	uint64_t config;

	perf_ring_attr(&follow);
	follow.type = PERF_TYPE_SOFTWARE;
	follow.config = PERF_COUNT_SW_DUMMY;
	follow.context_switch = 1;
	s->scope = *scope;
	s->execs.command = scope->command ? scope->pids[0] : 0;
	if (join_find_event(&config, err) ||
	    perf_ring_open(&s->ring, &follow, scope, PAGES, err)) {
		close_state(s);
		return NULL;
	}
	join_attr(&s->attr, config);
	for (size_t i = 0; i < s->ring.ncpus; i++)
		s->blind |= !s->ring.cpus[i].ring;
	for (size_t i = 0; i < scope->n; i++) {
		a.pid = scope->pids[i];
		threads_each(a.pid, add_thread, &a);
	}
	if (a.events) {
		forks_open(&s->forks, scope);
		return s;
	}
	trawl_fail(err, TRAWL_CANNOT, "-i branch:perf-joined: perf_event_open: %s%s",
		   strerror(errno),
		   errno == EMFILE ? ": each thread takes one for each CPU; raise ulimit -n" : "");
	close_state(s);
	return NULL;
}

static int enable(struct joined_state *s, bool on, struct trawl_error *err)
{
	for (size_t i = 0; i < s->ntasks; i++) {
		for (size_t k = 0; k < s->ring.ncpus; k++) {
			if (s->tasks[i]->cpus[k].fd >= 0)
				ioctl(s->tasks[i]->cpus[k].fd,
				      on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
		}
	}
	return perf_ring_enable(&s->ring, on, err);
}

/* The kernel enables COMMAND's events at its exec. */
static int start(void *state, struct trawl_error *err)
{
	struct joined_state *s = state;

	return s->scope.command ? 0 : forks_enable(&s->forks, err) || enable(s, true, err) ? -1 : 0;
}

static size_t fds(void *state, struct pollfd *fds, size_t room)
{
	struct joined_state *s = state;

	size_t n = s->stopped ? 0 : perf_ring_fds(&s->ring, fds, room);

	return s->stopped ? 0 : n + forks_fds(&s->forks, fds + n, room - n);
}

static int put(struct branch_sink *sink, const struct joined_task *t, struct branch_event e,
	       struct trawl_error *err)
{
	e.tid = (pid_t)t->tid;
	e.pid = (pid_t)t->pid;
	e.collected = true;
	return sink->event(sink, &e, err);
}

static int mark(struct branch_sink *sink, const struct joined_task *t, uint64_t time,
		enum branch_mark_kind kind, uint64_t count, struct trawl_error *err)
{
	return put(sink, t,
		   (struct branch_event){ .kind = BRANCH_EVENT_MARK, .time = time, .mark = kind,
					  .count = count },
		   err);
}

/*
 * Marks missing branches between the task's last sample and this one. If their number is unknown,
 * so is the overlap: the stack is then written whole, as one that is not joined to the last.
 */
static int mark_missing(struct branch_sink *sink, const struct joined_task *t, uint64_t time,
			bool known, uint64_t lost, struct trawl_error *err)
{
	if (known)
		return lost ? mark(sink, t, time, BRANCH_MARK_LOST, lost, err) : 0;
	return mark(sink, t, time, BRANCH_MARK_LOST, 0, err) ||
			       mark(sink, t, time, BRANCH_MARK_STACK, 0, err)
		       ? -1
		       : 0;
}

/* What one sample says of a task. */
struct joined_sample {
	struct join_sample head;
	struct branch_stack stack;
	size_t cpu;
};

/*
 * Joins a stack to the task's last one. Returns false if branches are missing in between whose
 * number is not known. If s->blind, the task may have been on a CPU without events between stacks
 * that do not overlap. A debug exception turns LBR off, while the counter goes on: the stack then
 * still begins with branches of the last one.
 */
static bool joins(const struct joined_state *s, const struct joined_task *t,
		  const struct branch_stack *now, uint64_t taken, struct joining *j)
{
	const struct branch_stack *before = t->time ? &t->last : NULL;

	if (!join_stacks(before, now, taken, j))
		return false;
	if (j->fresh < now->n)
		return true;
	return !s->blind && (t->cleared || !before || !join_may_overlap(before, now));
}

static int take_stack(struct joined_state *s, struct joined_task *t,
		      const struct joined_sample *sample, struct branch_sink *sink,
		      struct trawl_error *err)
{
	const struct join_sample *m = &sample->head;
	const struct branch_stack *now = &sample->stack;
	size_t cpu = sample->cpu;
	struct joined_cpu *c = &t->cpus[cpu];
	uint64_t idle = m->enabled - m->running, time = m->head.time;
	bool moved = t->time && t->cpu != cpu, known = !t->late && !t->broken && !now->strange &&
						       !moved && idle == c->idle;
	struct joining j = { .fresh = now->n };

	if (known && !joins(s, t, now, m->count - c->count, &j)) {
		known = false;
		j.fresh = now->n;
	}
	if (execs_pending(&s->execs, (pid_t)t->tid)) {
		size_t before = execs_end(&s->execs, s->ring.maps, (pid_t)t->tid,
					  now->entries + now->n - j.fresh, j.fresh);

		j.lost += before;
		j.fresh -= before;
	}
	t->last = *now;
	t->late = t->broken = t->cleared = false;
	t->cpu = cpu;
	t->time = time;
	c->count = m->count;
	c->idle = idle;
	if (mark_missing(sink, t, time, known, j.lost, err))
		return -1;
	for (size_t i = now->n - j.fresh; i < now->n; i++) {
		if (put(sink, t,
			(struct branch_event){ .kind = BRANCH_EVENT_BRANCH, .time = time,
					       .branch = now->entries[i] },
			err))
			return -1;
	}
	return 0;
}

static int take_sample(struct joined_state *s, struct branch_sink *sink,
		       const struct perf_event_header *h, struct trawl_error *err)
{
	const size_t head = sizeof(struct join_sample);
	struct joined_sample sample;
	struct joined_task *t;

	if (h->size < head)
		return 0;
	memcpy(&sample.head, h, head);
	branch_stack_read(&sample.stack, (const uint64_t *)(const void *)((const char *)h + head),
			  h->size - head);
	t = find_event(s, sample.head.id, &sample.cpu);
	return t ? take_stack(s, t, &sample, sink, err) : 0;
}

/* Records of unknown tasks were lost: the next sample of each task is after a gap. */
static void break_all(struct joined_state *s)
{
	for (size_t i = 0; i < s->ntasks; i++)
		s->tasks[i]->broken = true;
}

static void note_switch(struct joined_state *s, const struct perf_event_header *h)
{
	struct perf_switch_id id;
	struct joined_task *t;

	if (h->misc & PERF_RECORD_MISC_SWITCH_OUT || !perf_switch_id(h, &id))
		return;
	t = find_task(s, id.tid);
	if (t)
		t->cleared = true;
}

struct event_count {
	uint64_t count, enabled, running, id;
};

/*
 * Returns whether the number of branches after the task's last sample is known, and that in *lost.
 * It is known if the task was on no other CPU since: then this CPU's event counted as long as it
 * was enabled. Before the first sample: if all events together counted as long as they were
 * enabled.
 */
static bool count_rest(const struct joined_state *s, const struct joined_task *t, uint64_t *lost)
{
	uint64_t enabled = 0, running = 0;
	struct event_count now;

	for (size_t i = 0; i < s->ring.ncpus; i++) {
		const struct joined_cpu *c = &t->cpus[i];

		if (c->fd < 0 || (t->time && i != t->cpu))
			continue;
		if (read(c->fd, &now, sizeof(now)) != sizeof(now))
			return false;
		enabled = now.enabled > enabled ? now.enabled : enabled;
		running += now.running + c->idle;
		*lost += now.count - c->count;
	}
	return !t->late && !t->broken && !s->blind && enabled == running;
}

/* Marks the branches after the last sample of a task that has ended. */
static int end_task(struct joined_state *s, struct joined_task *t, struct branch_sink *sink,
		    struct trawl_error *err)
{
	uint64_t lost = 0, time = t->time ? t->time : mono_now();
	bool known = count_rest(s, t, &lost);

	if (known && !lost)
		return 0;
	return mark(sink, t, time, BRANCH_MARK_LOST, known ? lost : 0, err);
}

static int take_exit(struct joined_state *s, const struct perf_event_header *h,
		     struct branch_sink *sink, struct trawl_error *err)
{
	const struct perf_task_record *r = (const struct perf_task_record *)h;
	int got = 0;

	for (size_t i = 0; i < s->ntasks; i++) {
		if (s->tasks[i]->tid != r->tid)
			continue;
		got = end_task(s, s->tasks[i], sink, err);
		free_task(s, s->tasks[i]);
		s->tasks[i] = s->tasks[--s->ntasks];
		break;
	}
	return got;
}

static int take(struct joined_state *s, struct branch_sink *sink, const struct perf_held *h,
		struct trawl_error *err)
{
	const struct perf_task_record *r = (const struct perf_task_record *)h->record;

	execs_note(&s->execs, s->ring.maps, h->record);
	switch (h->record->type) {
	case PERF_RECORD_SAMPLE:
		return take_sample(s, sink, h->record, err);
	case PERF_RECORD_THROTTLE:
		break_all(s);
		return 0;
	case PERF_RECORD_EXIT:
		if (take_exit(s, h->record, sink, err))
			return -1;
		break;
	case PERF_RECORD_FORK:
		add_forked(s, (pid_t)r->pid, (pid_t)r->tid);
		break;
	case PERF_RECORD_SWITCH:
		note_switch(s, h->record);
		break;
	default: /* the number of lost samples does not matter: the next sample has the count of
		  * branches */
		break;
	}
	return perf_ring_emit(&s->ring, h, sink, err);
}

static int end_all(struct joined_state *s, struct branch_sink *sink, struct trawl_error *err)
{
	int got = 0;

	while (s->ntasks) {
		struct joined_task *t = s->tasks[--s->ntasks];

		got = got ? got : end_task(s, t, sink, err);
		free_task(s, t);
	}
	return got;
}

static int drain(void *state, struct branch_sink *sink, struct trawl_error *err)
{
	struct joined_state *s = state;
	uint64_t until = s->stopped ? UINT64_MAX : mono_now() - MATURE_NS;
	const struct perf_held *h;
	int got = 0;

	if (!s->begun && perf_ring_initial(&s->ring, &s->scope, sink, err))
		return -1;
	s->begun = true;
	if (!s->stopped && forks_each(&s->forks, add_forked, s, err))
		return -1;
	if (perf_ring_fill(&s->ring, err))
		return -1;
	while (!got && (h = perf_ring_next(&s->ring, until))) {
		got = take(s, sink, h, err);
		perf_ring_done(&s->ring, h);
	}
	s->until = until;
	return got || !s->stopped ? got : end_all(s, sink, err);
}

static uint64_t reached(void *state)
{
	return ((const struct joined_state *)state)->until;
}

static void halt(void *state)
{
	struct joined_state *s = state;
	struct trawl_error ignored;

	enable(s, false, &ignored);
	s->stopped = true;
}

static int stop(void *state, struct trawl_error *err)
{
	return 0;
}

static bool over(void *state)
{
	return true;
}

const struct branch_backend perf_joined_backend = {
	.name = "perf-joined",
	.number = BRANCH_HOW_PERF_JOINED,
	.what = "samples of the last branches that overlap, joined into one stream by the count of "
		"branches taken; what is missing is counted" BRANCH_UNPROVEN,
	.partial = true,
	.no_kinds = true,
	.by_processor = true,
	.collects = true,
	.opens_events = true,
	.usable = usable,
	.open = open_joined,
	.reached = reached,
	BACKEND_FUNCTIONS,
};
