/* SPDX-License-Identifier: MIT */
/* The tasks that a capture is about: those of -p, or COMMAND; and whether they have all ended. */
#ifndef TRAWL_CAPTURE_SESSION_SCOPE_H
#define TRAWL_CAPTURE_SESSION_SCOPE_H

#include <sys/types.h>
#include "capture/cli/options.h"
#include "format/trawl.h"

struct scope {
	const pid_t *pids;
	size_t n;       /* 0: the whole machine */
	int *pidfds;    /* of each -p */
	size_t watched; /* number of these */
	size_t gone;    /* so many of them have ended, from the first on */
};

/*
 * For events of the kernel in a PID namespace, as containers have: their numbers of processes are
 * those outside of it. -p and COMMAND are refused there (-1); of the whole machine *unknown says
 * that nobody may be looked up by a number, and the user is told.
 */
int scope_nested(const struct options *o, bool *unknown, struct trawl_error *err);

/*
 * pids stay the caller's. watch: their end is waited for; where there is no descriptor for that, as
 * of a thread before Linux 6.9, it is not seen. Fails when one is not there.
 */
int scope_open(struct scope *s, const pid_t *pids, size_t n, bool watch, struct trawl_error *err);
void scope_close(struct scope *s);

/* How many children of the i-th one, which it had before, are none of these. */
size_t scope_left_out(const struct scope *s, size_t i);

/* What is readable when the next of them has ended; -1: nothing to wait for. */
int scope_fd(const struct scope *s);
/* It was readable. True when all have ended. */
bool scope_ended(struct scope *s);

#endif
