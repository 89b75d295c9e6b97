/* SPDX-License-Identifier: MIT */
/*
 * The kernel's filters by task. An instance of tracefs with a list in set_event_pid records the
 * events of the listed tasks only. One with a list in set_event_notrace_pid (Linux 5.7) records the
 * events of all others. With the option event-fork, the kernel adds the tasks that listed ones
 * start, and removes those that end.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_PIDFILTER_H
#define TRAWL_CAPTURE_TRACEFS_PIDFILTER_H

#include <sys/types.h>
#include "format/trawl.h"

/*
 * Limits the instance `dir` to all threads of the processes. Returns 0, or -1 with *err, also if
 * one of them has ended.
 */
int pidfilter_set(int dir, const pid_t *pids, size_t n, struct trawl_error *err);

/*
 * Limits the instance `dir` to the same tasks as the one at `path` below `top`. Returns 0, or -1
 * with *err.
 */
int pidfilter_copy(int dir, int top, const char *path, struct trawl_error *err);

/*
 * Excludes all threads of the tasks' processes from the instance `dir`. Returns false if nothing
 * was changed: all have ended, or the kernel cannot exclude tasks.
 */
bool pidfilter_leave_out(int dir, const pid_t *tids, size_t n);

/*
 * Calls found() for each task that the instance `dir` is limited to, sorted by TID. Returns 0, or
 * -1 with *err.
 */
int pidfilter_each(int dir, void (*found)(void *arg, pid_t tid), void *arg,
		   struct trawl_error *err);

#endif
