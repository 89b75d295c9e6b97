/* SPDX-License-Identifier: MIT */
/* Events on their way from a back end's thread to the session's. */
#ifndef TRAWL_CAPTURE_BRANCH_QUEUE_H
#define TRAWL_CAPTURE_BRANCH_QUEUE_H

#include <pthread.h>
#include "capture/branch/event.h"

enum { BRANCH_QUEUE_MAX = 65536, BRANCH_QUEUE_WAKE = 8192 };

struct branch_queue {
	pthread_mutex_t lock;
	pthread_cond_t emptied;
	struct branch_event *events, *taken; /* BRANCH_QUEUE_MAX of each */
	size_t n;
	uint64_t put, given, handled; /* events so far: put, taken out, and done with */
	int fd;          /* readable when somebody waits for it to be emptied */
	bool closed;     /* nobody takes any more */
};

bool branch_queue_open(struct branch_queue *q);
void branch_queue_free(struct branch_queue *q); /* also of one that was never opened, or not
						 * whole */

/* Adds an event; waits while the queue is full. */
void branch_queue_put(struct branch_queue *q, const struct branch_event *e);
/* The same, and waits until it was handled. */
void branch_queue_tell(struct branch_queue *q, const struct branch_event *e);

/* All that is there, valid until branch_queue_handled(); returns how many. */
size_t branch_queue_take(struct branch_queue *q, struct branch_event **events);
void branch_queue_handled(struct branch_queue *q);
/* Nobody waits for it any more. */
void branch_queue_close(struct branch_queue *q);

#endif
