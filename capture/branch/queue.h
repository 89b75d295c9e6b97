/* SPDX-License-Identifier: MIT */
/* A bounded queue of events from a back end's thread to the session's thread. */
#ifndef TRAWL_CAPTURE_BRANCH_QUEUE_H
#define TRAWL_CAPTURE_BRANCH_QUEUE_H

#include <pthread.h>
#include "capture/branch/event.h"

enum { BRANCH_QUEUE_MAX = 65536, BRANCH_QUEUE_WAKE = 8192 };

struct branch_queue {
	pthread_mutex_t lock;
	pthread_cond_t emptied;
	struct branch_event *events, *taken; /* two arrays of BRANCH_QUEUE_MAX, swapped by
					      * branch_queue_take() */
	size_t n;
	uint64_t put, given, handled; /* numbers of events put, taken, and handled so far */
	int fd;          /* readable when the producer waits for the queue to be emptied */
	bool closed;     /* no more events are taken */
};

bool branch_queue_open(struct branch_queue *q);
void branch_queue_free(struct branch_queue *q); /* also after a failed or no open */

/* Adds an event; waits while the queue is full. */
void branch_queue_put(struct branch_queue *q, const struct branch_event *e);
/* The same, and waits until the event has been handled. */
void branch_queue_put_wait(struct branch_queue *q, const struct branch_event *e);

/* Takes all events, which are valid until branch_queue_handled(). Returns how many. */
size_t branch_queue_take(struct branch_queue *q, struct branch_event **events);
void branch_queue_handled(struct branch_queue *q);
/* Called when no more events will be taken: producers no longer wait. */
void branch_queue_close(struct branch_queue *q);

#endif
