/* SPDX-License-Identifier: MIT */
/*
 * The first COUNT events in time (-c). Another source or CPU may still hold earlier events, so each
 * event waits until all earlier ones have come.
 */
#ifndef TRAWL_CAPTURE_OUTPUT_FIRST_H
#define TRAWL_CAPTURE_OUTPUT_FIRST_H

#include "capture/output/pending.h"

/* All zero but for `left`, which is the COUNT. */
struct first {
	struct pending pending; /* events that are not known to be among the first */
	uint64_t left;          /* how many events are still wanted */
};

/*
 * Adds an event of the time mono with a copy of its data. Returns 0; 1: the COUNT has been emitted,
 * the event is none of them; -1: out of memory.
 */
int first_add(struct first *f, const struct trawl_record *r, uint64_t mono,
	      struct trawl_error *err);

/*
 * Gives the events up to the time `until` to emit(), in the order of time: all of them have been
 * added. Returns 0; 1: the COUNT is reached, and the others are dropped; -1: emit() failed.
 */
int first_settle(struct first *f, uint64_t until,
		 int (*emit)(const struct pending_event *e, void *arg, struct trawl_error *err),
		 void *arg, struct trawl_error *err);

/* Returns how many events of a source were dropped: they are not among the first. */
static inline uint64_t first_dropped(const struct first *f, uint16_t source)
{
	return f->pending.dropped[source];
}

#endif
