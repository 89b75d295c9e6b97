/* SPDX-License-Identifier: MIT */
/* A bounded queue of events from a back end's thread to the session's thread. */
#ifndef TRAWL_CAPTURE_BRANCH_QUEUE_H
#define TRAWL_CAPTURE_BRANCH_QUEUE_H

#include <pthread.h>
#include "capture/branch/event.h"
#include "format/trawl.h"

enum {
	/* Some 3 MB, twice: a tenth of a second of single steps or more. */
	BRANCH_QUEUE_MAX = 65536,
	/* The reader is woken at an eighth, so that it comes before the queue is full. */
	BRANCH_QUEUE_WAKE = BRANCH_QUEUE_MAX / 8,
};

struct branch_queue {
	pthread_mutex_t lock;
	pthread_cond_t progress; /* taken events have been handled, or the queue is closed */
	struct branch_event *events, *taken; /* two arrays of BRANCH_QUEUE_MAX, swapped by
					      * branch_queue_take() */
	size_t n;
	uint64_t put, given, handled; /* numbers of events put, taken, and handled so far */
	/*
	 * Readable when BRANCH_QUEUE_WAKE events wait, the queue is full, or
	 * branch_queue_put_wait() has added one.
	 */
	int fd;
	bool closed;     /* no more events are taken */
};

/* Returns 0, or -1 with *err. `name` begins the error. */
int branch_queue_open(struct branch_queue *q, const char *name, struct trawl_error *err);
void branch_queue_free(struct branch_queue *q); /* also after a failed or no open */

/*
 * Adds an event; takes over its `maps`, if it has them. Waits while the queue is full, until the
 * events before have been handled: not just taken, which bounds the events in memory.
 */
void branch_queue_put(struct branch_queue *q, const struct branch_event *e);
/* The same, and waits until the event has been handled. */
void branch_queue_put_wait(struct branch_queue *q, const struct branch_event *e);

/*
 * Takes all events, which are valid until branch_queue_handled(); the caller frees the `maps` of
 * each BRANCH_EVENT_MAPS. Returns how many.
 */
size_t branch_queue_take(struct branch_queue *q, struct branch_event **events);
/* Called after each branch_queue_take(), also of no events: lets waiting producers go on. */
void branch_queue_handled(struct branch_queue *q);
/* Called when no more events will be taken: producers no longer wait. */
void branch_queue_close(struct branch_queue *q);

#endif
