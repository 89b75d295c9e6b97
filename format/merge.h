/* SPDX-License-Identifier: MIT */
/*
 * Events of many chunks in time order. Chunks wait, encoded, until the first of their events may
 * be due; then they are decoded, and their streams (one a CPU) compete in a heap. Order: time,
 * then source, CPU, and place in the file; within a stream always as recorded.
 */
#ifndef TRAWL_MERGE_H
#define TRAWL_MERGE_H

#include "catalog.h"
#include "chunk.h"
#include "walk.h"

struct waiting {
	uint64_t start; /* no event of the chunk is earlier on the timeline */
	uint64_t order; /* place in the section */
	struct chunk_ref ref;
	uint8_t *payload; /* owned; NULL: to be read from the file */
	size_t len;       /* of the payload */
};

struct merge {
	struct catalog *catalog;
	struct section *section;
	struct damage *damage;
	struct trawl_range range;
	/* Reads a chunk's payload; valid until the next call. NULL: damaged. */
	const uint8_t *(*payload)(void *arg, const struct chunk_ref *r, size_t *len);
	void *arg;

	struct waiting *waiting; /* heap by start, order */
	size_t nwaiting, waiting_cap;
	size_t held;             /* bytes of owned payloads */
	struct head *heads;      /* heap */
	size_t nheads, heads_cap;
	uint64_t runner_up;      /* the earliest time of all heads but the first */
	struct chunk_decoder *decoder;
	struct active *active, *spare;
	size_t nactive, memory;  /* decoded chunks, and bytes of them */
	bool disorder;           /* a chunk had to wait: more overlap than memory is for */
};

/* A chunk whose source is known; payload (or NULL, then it is read when due) is taken over. */
bool merge_add(struct merge *m, const struct chunk_ref *r, uint64_t start, uint8_t *payload,
	       size_t len);
/* No event of the chunk is earlier than this. */
uint64_t merge_start(const struct merge *m, const struct chunk_ref *r);
/* 1: *ev is the next event, which is before `limit`; 0: none; -1: memory ran out. */
int merge_next(struct merge *m, uint64_t limit, struct trawl_event *ev);
bool merge_empty(const struct merge *m);
/* Another section: what is left of the one before is dropped. */
void merge_begin(struct merge *m, struct section *s);
void merge_free(struct merge *m);

/*
 * Time stamps of a source of the section to the timeline, in place. Returns how many sync blocks are
 * in front of the chunk.
 */
uint32_t merge_times(const struct catalog *c, const struct section *s, const struct chunk_ref *r,
		     uint64_t *ts, size_t n);
struct chunk_schema section_schema(const struct section *s, uint16_t source);

#endif
