/* SPDX-License-Identifier: MIT */
/* What a session hears by descriptor besides its events: signals, and that the clock was set. */
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
 * Signals that end a capture, and SIGUSR1, come here from now on; the command and the printer get
 * them back. event_fds_close() in any case.
 */
int event_fds_open(struct event_fds *n, struct trawl_error *err);
void event_fds_close(struct event_fds *n);

/* The next signal, if there is one. */
bool event_fds_signal(const struct event_fds *n, struct signalfd_siginfo *info);

/* Was the clock set? */
bool event_fds_step(struct event_fds *n);

#endif
