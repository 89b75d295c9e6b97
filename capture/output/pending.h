/* SPDX-License-Identifier: MIT */
/*
 * Events that wait for those which happened before them.
 *
 * Sources are drained one after the other, and each of their CPUs: what comes first is not what
 * happened first. Where that matters (-c: the first COUNT events) events wait here until all up to
 * some time are known to have come, and leave in the order of time. Events of one source and CPU
 * leave in the order in which they came, even if their clock was set back.
 */
#ifndef TRAWL_CAPTURE_OUTPUT_PENDING_H
#define TRAWL_CAPTURE_OUTPUT_PENDING_H

#include "format/trawl.h"

enum {
	PENDING_SOURCES = 256, /* more than a file can have is more than is accepted */
};

struct pending_event {
	struct trawl_record record; /* its data is a copy, owned */
	uint64_t mono;              /* its time by CLOCK_MONOTONIC, ns: the order of release */
	uint64_t order;             /* of arrival */
};

/* All zero is an empty one. */
struct pending {
	struct pending_event *events;
	size_t n, room;
	struct pending_lane *lanes; /* the newest time of each source and CPU */
	size_t nlanes, lane;
	uint64_t bytes; /* of the records */
	bool unsorted;  /* the events are not in the order of their times */
	uint64_t added;
	uint64_t dropped[PENDING_SOURCES]; /* by pending_keep(), of each source */
};

/*
 * Adds an event of the time mono with a copy of its data; its source is below PENDING_SOURCES.
 * Returns 0, or -1 when memory runs out: then the event is not in.
 */
int pending_add(struct pending *p, const struct trawl_record *r, uint64_t mono,
		struct trawl_error *err);

/*
 * Gives the events up to the time `until` to emit(), in order, and forgets them; also that for
 * which emit() returned something else than 0, which ends it and is returned.
 */
int pending_release(struct pending *p, uint64_t until,
		    int (*emit)(const struct pending_event *e, void *arg,
				struct trawl_error *err), void *arg, struct trawl_error *err);

/* The time of the event in the middle; there is one. */
uint64_t pending_middle(struct pending *p);

/* Drops all but the first `most` in time and counts them. */
void pending_keep(struct pending *p, size_t most);

void pending_free(struct pending *p);

#endif
