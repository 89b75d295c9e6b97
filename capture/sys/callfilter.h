/* SPDX-License-Identifier: MIT */
/*
 * Which system calls a recorder that is armed may make. What is not listed in callfilter.c fails
 * with ENOSYS, the capture goes on, and a line on stderr says which call it was: a library may make
 * a rare call that nobody here has seen, and a recorder that is killed for it loses events.
 */
#ifndef TRAWL_CAPTURE_SYS_CALLFILTER_H
#define TRAWL_CAPTURE_SYS_CALLFILTER_H

#include <stdbool.h>
#include <sys/types.h>

struct callfilter {
	bool user;   /* the rights to files become another user's and come back */
	bool traces; /* ptrace() and perf_event_open() are called */
	pid_t command; /* the only other process that gets signals; 0: none */
};

/*
 * For all threads and for ever; no new privileges must be set. 0, or -errno: -ENOMEM if the filter
 * cannot be built. Without libseccomp it does nothing.
 */
int callfilter_load(const struct callfilter *c);

/* How many calls it has refused. Each was printed, the first eight of them. */
unsigned int callfilter_refused(void);

#endif
