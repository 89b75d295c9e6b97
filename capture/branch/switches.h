/* SPDX-License-Identifier: MIT */
/*
 * Whose branches are in a CPU's branch trace store, from perf's records of context switches.
 *
 * When a task leaves its CPU perf stops its events, which empties the store. But if the next task
 * has the same events by inheritance (the contexts are clones), perf lets them run on, and the
 * store then has branches of both tasks. A task that also has an event which is not inherited (a
 * guard) is no clone of its children, nor these of each other. A task's guard can only be opened
 * after its fork; until then it may be a clone.
 */
#ifndef TRAWL_CAPTURE_BRANCH_SWITCHES_H
#define TRAWL_CAPTURE_BRANCH_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct switch_task {
	pid_t tid;
	uint32_t group;   /* tasks of one group may be clones */
	uint32_t own;     /* its group since the time `guarded` */
	uint64_t guarded; /* UINT64_MAX: it has no guard */
	int guard;        /* -1: none */
};

struct switch_guard {
	pid_t tid;
	int fd;
	uint64_t time;
};

struct switch_cpu {
	pid_t left;     /* this task left the CPU, perhaps not its branches the store; 0: none */
	bool mixed;     /* the store may have branches of several tasks */
	uint64_t batch; /* time of what was then taken from it; 0: nothing yet */
};

struct switches {
	struct switch_cpu *cpus;
	size_t ncpus;
	struct switch_task *tasks;
	size_t n;
	struct switch_guard *early; /* of tasks whose fork comes later in the order of time */
	size_t nearly;
	uint32_t groups;
	long descriptors; /* guards are below this one: half are left for other files */
};

void switches_init(struct switches *s, size_t ncpus);
void switches_free(struct switches *s); /* closes the guards */

/* A task on which events were opened: it is no clone of another. */
void switches_add(struct switches *s, pid_t tid);
/*
 * Hands over an event that is not inherited, and has been opened on the task until `time`; also
 * before switches_fork() has the task. If too many files are open it is closed, and the task has
 * none.
 */
void switches_guard(struct switches *s, pid_t tid, int guard, uint64_t time);

/*
 * The following have the records of the kernel, in the order of time. switches_fork() returns
 * whether the new task is known now: the parent is.
 */
bool switches_fork(struct switches *s, pid_t parent, pid_t tid, uint64_t time);
void switches_exit(struct switches *s, pid_t tid, uint64_t time);
void switches_out(struct switches *s, size_t cpu, pid_t tid);
/* Returns the task whose branches may have stayed in the store, or 0. */
pid_t switches_in(struct switches *s, size_t cpu, pid_t tid, uint64_t time);
/* Records of this CPU were lost. */
void switches_lost(struct switches *s, size_t cpu);

/*
 * A branch was taken from the store while `tid` ran, at `time`, which all of one batch have.
 * Returns whether it may be another task's.
 */
bool switches_mixed(struct switches *s, size_t cpu, pid_t tid, uint64_t time);

#endif
