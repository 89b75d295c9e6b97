/* SPDX-License-Identifier: MIT */
/* The scope: the tasks of -p, or COMMAND, and whether all of them have ended. */
#ifndef TRAWL_CAPTURE_SESSION_SCOPE_H
#define TRAWL_CAPTURE_SESSION_SCOPE_H

#include <sys/types.h>
#include "capture/cli/options.h"
#include "format/trawl.h"

struct scope {
	pid_t *pids;
	size_t n;       /* 0: the whole machine */
	int *pidfds;    /* of each -p; -1: its end cannot be seen */
	size_t watched; /* number of pidfds */
	size_t gone;    /* the first `gone` of them have ended */
};

/*
 * Checks for a PID namespace, as in a container: the kernel's events have the PIDs of the first
 * one. Returns -1 with *err if -p or COMMAND is given there. Else sets *unknown, prints a note and
 * returns 0: PIDs of events must not be looked up in /proc.
 */
int scope_nested(const struct options *o, bool *unknown, struct trawl_error *err);

/*
 * Copies the pids of tasks that exist, and prints a note for each other one unless `quiet`. watch:
 * scope_fd() reports their end; that of a thread is not seen before Linux 6.9. Returns 0, or -1
 * with *err if none of them exists.
 */
int scope_open(struct scope *s, const pid_t *pids, size_t n, bool watch, bool quiet,
	       struct trawl_error *err);
void scope_close(struct scope *s);

/* Returns how many children the i-th process has that are not in the scope. */
size_t scope_left_out(const struct scope *s, size_t i);

/* Returns a descriptor that is readable when the next of them has ended; -1: none. */
int scope_fd(const struct scope *s);
/* Called when it was readable. Returns whether all of them have ended. */
bool scope_ended(struct scope *s);

#endif
