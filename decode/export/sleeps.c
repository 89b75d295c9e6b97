/* SPDX-License-Identifier: MIT */
#include "decode/export/sleeps.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/base/escape.h"
#include "decode/base/jdoc.h"
#include "decode/base/time.h"

enum { UNINTERRUPTIBLE = 2 }; /* of prev_state; idle kernel threads have another bit */

static bool is_event(const struct item *it, const char *name)
{
	return it->name_len == strlen(name) && !memcmp(it->name, name, it->name_len);
}

static bool get_number(const struct decoder *d, void *state, const struct item *it,
		       const char *field, int64_t *number)
{
	struct value v = { 0 };

	if (!d->value(state, it, field, &v) || (v.type != VALUE_INT && v.type != VALUE_UINT))
		return false;
	*number = v.i;
	return true;
}

static void copy_comm(char *to, size_t size, const char *comm, size_t len)
{
	snprintf(to, size, "%.*s", (int)len, len ? comm : "");
}

static void keep_longest(struct sleep *longest, const struct sleep *sleep)
{
	uint64_t ns = sleep->end - sleep->begin;
	size_t i;

	for (i = SLEEPS_MAX; i > 0; i--) {
		const struct sleep *before = &longest[i - 1];

		if (before->tid && before->end - before->begin >= ns)
			break;
		if (i < SLEEPS_MAX)
			longest[i] = *before;
	}
	if (i < SLEEPS_MAX)
		longest[i] = *sleep;
}

/* Only tasks in the scope of the capture have a command line. tids are those of one machine. */
static bool was_recorded(const struct trawl_reader *r, const struct sleep *sleep)
{
	struct json_object *task;
	char name[32];
	bool has;

	if (sleep->section)
		return false;
	snprintf(name, sizeof(name), "task/%" PRId32, sleep->tid);
	task = jdoc_meta(r, name);
	has = jdoc_get(task, "cmdline");
	json_object_put(task);
	return has;
}

/* Notes who runs on the processor. In a whole capture it is the next one to be switched from. */
static void take_running(struct sleeps *s, const struct decoder *d, void *state,
			 const struct item *it)
{
	int64_t from, to;

	if (it->cpu >= SLEEPS_CPUS || !get_number(d, state, it, "prev_pid", &from) ||
	    !get_number(d, state, it, "next_pid", &to)) {
		s->partial = true;
		return;
	}
	/* 0 is also the idle task, of which nothing follows here */
	s->partial |= s->running[it->cpu] && s->running[it->cpu] != from;
	s->running[it->cpu] = (int32_t)to;
}

/* A task falls asleep: `it` is its last event on the processor. */
static void take_switch(struct sleeps *s, const struct decoder *d, void *state,
			const struct item *it)
{
	struct value comm = { 0 };
	struct sleep *sleep;
	int64_t tid, why;

	if (!get_number(d, state, it, "prev_state", &why) || why != UNINTERRUPTIBLE ||
	    !get_number(d, state, it, "prev_pid", &tid) || tid <= 0)
		return;
	sleep = &s->sleepers[(uint64_t)tid % SLEEPERS_MAX];
	*sleep = (struct sleep){ .begin = it->time, .tid = (int32_t)tid, .waker = ITEM_NO_TASK,
				 .source = it->source, .section = it->section };
	if (d->value(state, it, "prev_comm", &comm) && comm.type == VALUE_TEXT)
		copy_comm(sleep->comm, sizeof(sleep->comm), comm.text, comm.len);
}

static struct sleep *sleep_of(struct sleeps *s, const struct item *it, int64_t tid)
{
	struct sleep *sleep = &s->sleepers[(uint64_t)tid % SLEEPERS_MAX];

	return tid > 0 && sleep->tid == tid && sleep->source == it->source &&
			       sleep->section == it->section && it->time >= sleep->begin
		       ? sleep
		       : NULL;
}

/* A task runs again, or is made to by the task of `it`. */
static void take_end(struct sleeps *s, const struct decoder *d, void *state,
		     const struct item *it, bool woken)
{
	const struct sleep *shortest = &s->longest[SLEEPS_MAX - 1];
	struct value interrupt = { 0 };
	struct sleep *sleep;
	int64_t tid;

	if (!get_number(d, state, it, woken ? "pid" : "next_pid", &tid))
		return;
	sleep = sleep_of(s, it, tid);
	if (!sleep)
		return;
	sleep->end = it->time;
	if (woken && it->tid > 0 && !d->value(state, it, "interrupt", &interrupt)) {
		sleep->waker = it->tid;
		copy_comm(sleep->waker_comm, sizeof(sleep->waker_comm), it->comm, it->comm_len);
	}
	if (!shortest->tid || sleep->end - sleep->begin > shortest->end - shortest->begin) {
		sleep->recorded = was_recorded(s->reader, sleep);
		if (sleep->recorded || !s->partial)
			keep_longest(s->longest, sleep);
	}
	sleep->tid = 0;
}

void sleeps_item(struct sleeps *s, const struct decoder *d, void *state, const struct item *it)
{
	struct sleep *sleep = sleep_of(s, it, it->tid);

	if (sleep) /* its task runs, so its end is missing */
		sleep->tid = 0;
	if (!d->value)
		return;
	if (is_event(it, "sched:sched_switch")) {
		take_running(s, d, state, it);
		take_end(s, d, state, it, false);
		take_switch(s, d, state, it);
	} else if (is_event(it, "sched:sched_waking") || is_event(it, "sched:sched_wakeup")) {
		take_end(s, d, state, it, true);
	}
}

void sleeps_lost(struct sleeps *s)
{
	memset(s->sleepers, 0, sizeof(s->sleepers));
	memset(s->running, 0, sizeof(s->running));
}

static void print_task(const char *comm, int32_t tid, struct out *o)
{
	out_safe(o, *comm ? comm : "?", strlen(*comm ? comm : "?"));
	out_printf(o, "-%" PRId32, tid);
}

static void print_sleep(const struct sleep *sleep, bool utc, struct out *o)
{
	out_str(o, "  ");
	time_span(o, sleep->end - sleep->begin);
	out_char(o, ' ');
	print_task(sleep->comm, sleep->tid, o);
	out_str(o, " from ");
	time_full(o, sleep->begin, utc);
	if (sleep->waker != ITEM_NO_TASK) {
		out_str(o, ", woken by ");
		print_task(sleep->waker_comm, sleep->waker, o);
	}
	out_char(o, '\n');
}

/* Those asleep at the end, of which the longest come first. */
static void find_sleepers(const struct sleeps *s, uint64_t last, struct sleep *longest)
{
	for (size_t i = 0; i < SLEEPERS_MAX && !s->partial; i++) {
		struct sleep sleep = s->sleepers[i];

		sleep.end = last;
		if (sleep.tid && sleep.begin <= last)
			keep_longest(longest, &sleep);
	}
}

static void print_list(const struct sleeps *s, const struct sleep *longest, const char *title,
		       bool utc, struct out *o)
{
	for (size_t i = 0; i < SLEEPS_MAX && longest[i].tid; i++) {
		/* found before the first missing switch was */
		if (s->partial && !longest[i].recorded)
			continue;
		if (title)
			out_str(o, title);
		title = NULL;
		print_sleep(&longest[i], utc, o);
	}
}

void sleeps_print(const struct sleeps *s, uint64_t last, bool utc, struct out *o)
{
	struct sleep open[SLEEPS_MAX] = { 0 };

	find_sleepers(s, last, open);
	print_list(s, open, "\nin uninterruptible sleep (D) until the end\n", utc, o);
	print_list(s, s->longest,
		   "\nthe longest uninterruptible sleeps (D: a disk, a lock of the kernel)\n", utc, o);
}
