/* SPDX-License-Identifier: MIT */
/*
 * Events of many chunks in time order. Chunks wait, encoded, until the first of their events may
 * be due; then they are decoded, and their streams (one a CPU) compete in a heap. Order: time,
 * then source, CPU, and place in the file; within a stream always as recorded.
 */
#ifndef TRAWL_FORMAT_MERGE_H
#define TRAWL_FORMAT_MERGE_H

#include "format/catalog.h"
#include "format/chunk.h"
#include "format/walk.h"

/*
 * Chunks that are known together, and the clocks around them. Lives until the last of them was
 * decoded.
 */
struct bundle {
	struct chunk_ref *refs;
	size_t n, cap;
	struct clock_sync *syncs;
	size_t nsyncs, syncs_cap;
	struct clock_map clocks; /* syncs, in order; without any: those that the catalog has */
	size_t waiting;          /* chunks */
	uint8_t *payload;        /* of the only chunk; NULL: to be read from the file */
	size_t len;
};
void bundle_free(struct bundle *b);

struct waiting {
	uint64_t start; /* no event of the chunk is earlier on the timeline */
	struct bundle *bundle;
	size_t i;       /* of its chunks */
};

struct merge {
	struct catalog *catalog;
	struct section *section;
	struct damage *damage;
	struct trawl_range range;
	/* Reads a chunk's payload; valid until the next call. NULL: damaged. */
	const uint8_t *(*payload)(void *arg, const struct section *s, const struct chunk_ref *r,
				  size_t *len);
	void *arg;

	struct waiting *waiting; /* heap by start, then place in the file */
	size_t nwaiting, waiting_cap;
	size_t held;             /* bytes of owned payloads */
	struct head *heads;      /* heap */
	size_t nheads, heads_cap;
	uint64_t runner_up;      /* the earliest time of all heads but the first */
	uint64_t due;            /* events before this come before all that waits, and the limit */
	struct chunk_decoder *decoder;
	struct active *active, *spare;
	size_t nactive, memory;  /* decoded chunks, and bytes of them */
	size_t share;            /* so many merges share the memory that a file may take */
	bool disorder;           /* a chunk had to wait: more overlap than memory is for */
};

/* The i-th chunk, whose source is known; the bundle is the merge's when it returns true. */
bool merge_add(struct merge *m, struct bundle *b, size_t i, uint64_t start);
/* Chunks of this source that wait for a later time than this are due then, but the bundle's. */
void merge_hasten(struct merge *m, const struct bundle *but, uint16_t source, uint64_t start);
/* No event of the chunk is earlier than this. */
uint64_t merge_start(const struct section *s, const struct clock_map *clocks,
		     const struct chunk_ref *r);
/* 1: *ev is the next event, which is before `limit`; 0: none; -1: memory ran out. */
int merge_next(struct merge *m, uint64_t limit, struct trawl_event *ev);
/* The same of an event that is known to be due: 0 if there is none, and merge_next() looks on. */
int merge_next_due(struct merge *m, struct trawl_event *ev);
bool merge_empty(const struct merge *m);
/* Another section: what is left of the one before is dropped. */
void merge_begin(struct merge *m, struct section *s);
void merge_free(struct merge *m);

struct chunk_schema section_schema(const struct section *s, uint16_t source);

#endif
