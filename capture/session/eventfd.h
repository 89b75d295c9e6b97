/* SPDX-License-Identifier: MIT */
/* What a session hears by descriptor besides its events: signals, and that the clock was set. */
#ifndef TRAWL_CAPTURE_SESSION_EVENTFD_H
#define TRAWL_CAPTURE_SESSION_EVENTFD_H

#include <sys/signalfd.h>
#include "format/trawl.h"

struct news {
	int signals; /* for poll(); -1: none */
	int steps;   /* of the clock; -1: none */
};

#define NEWS_NONE { .signals = -1, .steps = -1 }

/*
 * Signals that end a capture, and SIGUSR1, come here from now on; the command and the printer get
 * them back. news_close() in any case.
 */
int news_open(struct news *n, struct trawl_error *err);
void news_close(struct news *n);

/* The next signal, if there is one. */
bool news_signal(const struct news *n, struct signalfd_siginfo *info);

/* Was the clock set? */
bool news_step(struct news *n);

#endif
