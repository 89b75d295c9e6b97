/* SPDX-License-Identifier: MIT */
/*
 * The kernel's filter by task: an instance of tracefs with a list in set_event_pid records only what
 * the listed tasks do, and (option event-fork) what the tasks do that they start from then on.
 */
#ifndef TRAWL_CAPTURE_PIDFILTER_H
#define TRAWL_CAPTURE_PIDFILTER_H

#include <sys/types.h>
#include "trawl.h"

/* Limits the instance `dir` to all threads of the processes. Fails when one of them is gone. */
int pidfilter_set(int dir, const pid_t *pids, size_t n, struct trawl_error *err);

/* Limits the instance `dir` to the tasks that the one at `path` below `top` is limited to. */
int pidfilter_copy(int dir, int top, const char *path, struct trawl_error *err);

/* Calls found() for each task of the list of the instance `dir`. */
int pidfilter_each(int dir, void (*found)(void *arg, pid_t tid), void *arg,
		   struct trawl_error *err);

#endif
