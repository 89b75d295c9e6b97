/* SPDX-License-Identifier: MIT */
/*
 * The first COUNT events in time (-c). An event may have to make way for an earlier one that
 * another source or CPU still holds, so all wait until it is known what comes before them.
 */
#ifndef TRAWL_CAPTURE_OUTPUT_FIRST_H
#define TRAWL_CAPTURE_OUTPUT_FIRST_H

#include "capture/output/pending.h"

/* All zero but for `left`, which is the COUNT. */
struct first {
	struct pending pending; /* those which are not known to be among the first */
	uint64_t left;          /* that are still wanted */
};

/*
 * Adds an event of the time mono with a copy of its data. Returns 0; 1: the COUNT has been emitted,
 * the event is none of them; -1: out of memory.
 */
int first_add(struct first *f, const struct trawl_record *r, uint64_t mono,
	      struct trawl_error *err);

/*
 * No event up to the time `until` is still to come: gives those to emit(), in the order of time.
 * 1: that was the last one, and the others are dropped; -1 when emit() failed.
 */
int first_settle(struct first *f, uint64_t until,
		 int (*emit)(const struct pending_event *e, void *arg, struct trawl_error *err),
		 void *arg, struct trawl_error *err);

/* How many events of a source had to make way. */
static inline uint64_t first_dropped(const struct first *f, uint16_t source)
{
	return f->pending.dropped[source];
}

#endif
