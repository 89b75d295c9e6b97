/* SPDX-License-Identifier: MIT */
/*
 * Which system calls an armed recorder may make. A call that callfilter.c does not list fails with
 * ENOSYS, a line on stderr says which it was, and the capture goes on: a library may make a rare
 * call that no test has met, and a recorder that was killed for it would lose events.
 */
#ifndef TRAWL_CAPTURE_SYS_CALLFILTER_H
#define TRAWL_CAPTURE_SYS_CALLFILTER_H

#include <stdbool.h>
#include <sys/types.h>

struct callfilter {
	bool user;     /* it makes files as another user (user_enter()), whose COMMAND it signals */
	bool traces;   /* a source calls ptrace() or perf_event_open() while it runs */
	pid_t command; /* the only other process that may be signalled; 0: none */
};

/*
 * Sets the filter for all threads of this process, for ever. PR_SET_NO_NEW_PRIVS must be set.
 * Returns 0, or -errno: -ENOMEM if the filter cannot be built. Without libseccomp it does nothing
 * and returns 0.
 */
int callfilter_load(const struct callfilter *c);

/* Returns how many calls were refused so far; the first eight were printed. */
unsigned int callfilter_refused(void);

#endif
