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

/* Limits the instance `dir` to all threads of the processes. Fails when one of them is gone. */
int pidfilter_set(int dir, const pid_t *pids, size_t n, struct trawl_error *err);

/* Limits the instance `dir` to the tasks that the one at `path` below `top` is limited to. */
int pidfilter_copy(int dir, int top, const char *path, struct trawl_error *err);

/*
 * From now on, the instance `dir` leaves out the tasks and all others of their processes. Returns
 * false if nothing was changed: none of them lives, or the kernel cannot do it.
 */
bool pidfilter_leave_out(int dir, const pid_t *tids, size_t n);

/* Calls found() for each task that the instance `dir` is limited to, in the order of TIDs. */
int pidfilter_each(int dir, void (*found)(void *arg, pid_t tid), void *arg,
		   struct trawl_error *err);

#endif
