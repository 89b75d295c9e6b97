/* SPDX-License-Identifier: MIT */
/*
 * Which thread of COMMAND a signal ended, and when: from the events of the task source, because
 * waitpid() tells neither.
 */
#ifndef TRAWL_CAPTURE_TASK_CRASH_H
#define TRAWL_CAPTURE_TASK_CRASH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { CRASH_SIGNALS = 65, CRASH_KEPT = 16 };

struct crash_signal {
	uint64_t time; /* CLOCK_MONOTONIC, ns; 0: none came */
	pid_t tid;     /* the thread that it came to */
};

struct crash {
	pid_t pid;         /* COMMAND's first thread */
	uint64_t *threads; /* a bit per TID: it is a thread of COMMAND */
	uint32_t max;      /* TIDs are below this */
	/*
	 * The last of each signal without a handler, of any task: events of several CPUs are not
	 * drained in the order of their times, so a thread's signal may come before its start.
	 */
	struct crash_signal last[CRASH_SIGNALS][CRASH_KEPT];
	uint32_t n[CRASH_SIGNALS]; /* how many there were */
};

/* Without memory the program ends. */
void crash_begin(struct crash *c, pid_t pid, uint32_t max);
void crash_end(struct crash *c);

/* Task `tid` was made by `by`; thread: in the same process. */
void crash_on_task(struct crash *c, pid_t by, pid_t tid, bool thread);
/* A signal without a handler was delivered. */
void crash_on_signal(struct crash *c, pid_t tid, int sig, uint64_t time);

/*
 * Returns when a signal that ended COMMAND came, and the thread that it came to: of SIGKILL the
 * first thread, because the kernel gives it to each. What is not known is 0. Call it after a drain
 * of all events up to then.
 */
struct crash_signal crash_of(const struct crash *c, int sig);

#endif
