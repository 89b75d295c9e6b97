/* SPDX-License-Identifier: MIT */
/* The event descriptors of a session: signals, and steps of the clock. */
#ifndef TRAWL_CAPTURE_SESSION_EVENTFD_H
#define TRAWL_CAPTURE_SESSION_EVENTFD_H

#include <sys/signalfd.h>
#include "format/trawl.h"

struct event_fds {
	int signals; /* for poll(); -1: none */
	int steps;   /* of the clock; -1: none */
};

#define EVENT_FDS_NONE { .signals = -1, .steps = -1 }

/*
 * Blocks the signals that end a capture, and SIGUSR1: from now on they are read here. COMMAND and
 * the printer unblock them. Returns 0, or -1 with *err; event_fds_close() in any case.
 */
int event_fds_open(struct event_fds *n, struct trawl_error *err);
void event_fds_close(struct event_fds *n);

/* Reads the next signal. Returns false if there is none. */
bool event_fds_signal(const struct event_fds *n, struct signalfd_siginfo *info);

/* Whether the clock was set since the last call. */
bool event_fds_step(struct event_fds *n);

#endif
