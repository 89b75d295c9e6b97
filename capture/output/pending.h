/* SPDX-License-Identifier: MIT */
/*
 * Sorts events by time.
 *
 * Sources and their CPUs are drained one after the other, so events do not come in time order. If
 * the order matters (-c: the first COUNT events), events wait here until all up to some time have
 * come, and are released in time order. A stream, the events of one source and CPU, keeps its order
 * even if its clock was set back.
 */
#ifndef TRAWL_CAPTURE_OUTPUT_PENDING_H
#define TRAWL_CAPTURE_OUTPUT_PENDING_H

#include "format/trawl.h"

enum {
	PENDING_SOURCES = 256, /* a session has fewer */
};

struct pending_event {
	struct trawl_record record; /* its data is a copy, owned */
	uint64_t mono;              /* its time by CLOCK_MONOTONIC, ns: the order of release */
	uint64_t order;             /* order of arrival */
};

/* Empty if all zero. */
struct pending {
	struct pending_event *events;
	size_t n, room;
	struct pending_stream *streams; /* the newest time of each source and CPU */
	size_t nstreams, found; /* found: the stream of the last event */
	uint64_t bytes; /* of the records */
	bool unsorted;  /* the events are not in the order of their times */
	uint64_t added;
	uint64_t dropped[PENDING_SOURCES]; /* by pending_keep(), of each source */
};

/*
 * Adds an event of the time mono with a copy of its data. Returns 0, or -1 with *err: no memory, or
 * a source not below PENDING_SOURCES; then the event is not added.
 */
int pending_add(struct pending *p, const struct trawl_record *r, uint64_t mono,
		struct trawl_error *err);

/*
 * Removes the events up to the time `until` and passes them to emit(), in order. Stops if emit()
 * returns non-zero, and returns that; the event of that call is removed, too.
 */
int pending_release(struct pending *p, uint64_t until,
		    int (*emit)(const struct pending_event *e, void *arg,
				struct trawl_error *err), void *arg, struct trawl_error *err);

/* Returns the median of the events' times; there must be an event. */
uint64_t pending_middle(struct pending *p);

/* Drops all but the first `most` in time and counts them. */
void pending_keep(struct pending *p, size_t most);

void pending_free(struct pending *p);

#endif
