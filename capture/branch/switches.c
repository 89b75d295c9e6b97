/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/branch/switches.h"
#include "capture/sys/alloc.h"

void switches_init(struct switches *s, size_t ncpus)
{
	*s = (struct switches){ .cpus = xcalloc(ncpus, sizeof(*s->cpus)), .ncpus = ncpus,
				.descriptors = sysconf(_SC_OPEN_MAX) / 2 };
}

static struct switch_task *find(const struct switches *s, pid_t tid)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->tasks[i].tid == tid)
			return &s->tasks[i];
	}
	return NULL;
}

static uint32_t group_at(const struct switch_task *t, uint64_t time)
{
	return time > t->guarded ? t->own : t->group;
}

/* Removes a task from the list. */
static void forget(struct switches *s, pid_t tid)
{
	struct switch_task *t = find(s, tid);

	if (!t)
		return;
	if (t->guard >= 0)
		close(t->guard);
	*t = s->tasks[--s->n];
}

static void add(struct switches *s, pid_t tid, uint32_t group)
{
	forget(s, tid);
	xgrow(s->tasks, s->n);
	s->tasks[s->n++] = (struct switch_task){
		.tid = tid, .group = group, .guarded = UINT64_MAX, .guard = -1 };
}

void switches_add(struct switches *s, pid_t tid)
{
	add(s, tid, ++s->groups);
}

void switches_guard(struct switches *s, pid_t tid, int guard, uint64_t time)
{
	struct switch_task *t = find(s, tid);

	if ((t && t->guard >= 0) || guard >= s->descriptors) {
		close(guard);
	} else if (t) {
		t->guard = guard;
		t->guarded = time;
		t->own = ++s->groups;
	} else {
		xgrow(s->early, s->nearly);
		s->early[s->nearly++] = (struct switch_guard){ tid, guard, time };
	}
}

/* Closes the early guards opened until `time`: they are of an earlier task with this TID. */
static void drop_early(struct switches *s, pid_t tid, uint64_t time)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->nearly; i++) {
		if (s->early[i].tid == tid && s->early[i].time <= time)
			close(s->early[i].fd);
		else
			s->early[kept++] = s->early[i];
	}
	s->nearly = kept;
}

/* Hands over the guard that came before the task's fork. */
static void take_early(struct switches *s, pid_t tid)
{
	for (size_t i = 0; i < s->nearly; i++) {
		struct switch_guard g = s->early[i];

		if (g.tid != tid)
			continue;
		memmove(&s->early[i], &s->early[i + 1], (--s->nearly - i) * sizeof(g));
		switches_guard(s, tid, g.fd, g.time);
		return;
	}
}

bool switches_fork(struct switches *s, pid_t parent, pid_t tid, uint64_t time)
{
	const struct switch_task *p = find(s, parent);

	/* A parent that is not known had no record of its own fork: it may be a clone of anyone. */
	drop_early(s, tid, p ? time : UINT64_MAX);
	if (!p)
		return false;
	add(s, tid, time > p->guarded ? ++s->groups : p->group);
	take_early(s, tid);
	return true;
}

void switches_exit(struct switches *s, pid_t tid, uint64_t time)
{
	forget(s, tid);
	drop_early(s, tid, time);
}

void switches_free(struct switches *s)
{
	while (s->n)
		forget(s, s->tasks[s->n - 1].tid);
	while (s->nearly)
		close(s->early[--s->nearly].fd);
	free(s->early);
	free(s->tasks);
	free(s->cpus);
	*s = (struct switches){ 0 };
}

static bool may_be_clones(const struct switches *s, pid_t a, pid_t b, uint64_t time)
{
	const struct switch_task *x = find(s, a), *y = find(s, b);

	return !x || !y || group_at(x, time) == group_at(y, time);
}

/* Ends the batch: what the next one takes came after it. */
static void end_batch(struct switch_cpu *c)
{
	if (c->batch)
		c->mixed = false;
	c->batch = 0;
}

void switches_out(struct switches *s, size_t cpu, pid_t tid)
{
	end_batch(&s->cpus[cpu]);
	s->cpus[cpu].left = tid;
}

pid_t switches_in(struct switches *s, size_t cpu, pid_t tid, uint64_t time)
{
	struct switch_cpu *c = &s->cpus[cpu];
	pid_t left = c->left;

	c->left = 0;
	if (!left || left == tid)
		return 0;
	if (c->batch) /* switches_mixed() has had its branches */
		return left;
	if (!may_be_clones(s, left, tid, time))
		return 0;
	c->mixed = true;
	return left;
}

void switches_lost(struct switches *s, size_t cpu)
{
	s->cpus[cpu] = (struct switch_cpu){ .mixed = true };
}

bool switches_mixed(struct switches *s, size_t cpu, pid_t tid, uint64_t time)
{
	struct switch_cpu *c = &s->cpus[cpu];

	if (c->batch != time)
		end_batch(c);
	/*
	 * Before the record that the next task has come: the interrupt was faster. That record
	 * follows, for the mark in the task that left.
	 */
	if (c->left && c->left != tid && may_be_clones(s, c->left, tid, time))
		c->mixed = true;
	else
		c->left = 0;
	if (c->mixed)
		c->batch = time;
	return c->mixed;
}
