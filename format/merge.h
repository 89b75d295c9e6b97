/* SPDX-License-Identifier: MIT */
/*
 * Merges the events of many chunks in time order. A chunk waits, encoded, until its first event may
 * be due. Then it is decoded and its streams (one for each CPU) join a heap, which is ordered by
 * time, source, CPU and place in the file. Within a stream events stay in the recorded order.
 */
#ifndef TRAWL_FORMAT_MERGE_H
#define TRAWL_FORMAT_MERGE_H

#include "format/catalog.h"
#include "format/chunk.h"
#include "format/walk.h"

/*
 * The chunks of a segment and the clock-syncs that their times need. Freed when the last of the
 * chunks is decoded.
 */
struct bundle {
	struct chunk_ref *refs;
	size_t n, cap;
	struct clock_sync *syncs;
	size_t nsyncs, syncs_cap;
	struct clock_map clocks; /* of `syncs`; if it has none, the catalog's */
	size_t waiting;          /* number of chunks that are not decoded */
	uint8_t *payload;        /* of a single chunk of a pipe; NULL: read it from the file */
	size_t len;
};
void bundle_free(struct bundle *b);

struct waiting {
	uint64_t start; /* time: no event of the chunk is earlier */
	struct bundle *bundle;
	size_t i;       /* of its chunks */
};

/* The range's begin for a source. */
static inline uint64_t range_from(const struct trawl_range *range, const struct trawl_source *s)
{
	return s->id < 256 && range->whole[s->id / 64] >> s->id % 64 & 1 ? 0 : range->from;
}

struct merge {
	struct catalog *catalog;
	struct section *section;
	struct damage *damage;
	struct trawl_range range;
	/* Reads a chunk's payload, valid until the next call. Returns NULL if it is damaged. */
	const uint8_t *(*payload)(void *arg, const struct section *s, const struct chunk_ref *r,
				  size_t *len);
	void *arg;

	struct waiting *waiting; /* heap by start, then place in the file */
	size_t nwaiting, waiting_cap;
	size_t held;             /* bytes of all payloads in bundles */
	struct head *heads;      /* heap */
	size_t nheads, heads_cap;
	uint64_t runner_up;      /* the earliest time of all heads but the first */
	uint64_t due;            /* earlier events precede all waiting chunks and the limit */
	struct chunk_decoder *decoder;
	struct active *active, *spare;
	size_t nactive, memory;  /* number of decoded chunks, and their bytes */
	size_t share;            /* number of merges that share the memory limit of the reader */
	bool disorder;           /* more chunks overlap than fit into memory: order may be wrong */
};

/* Adds the bundle's i-th chunk, whose source must be known. On true the merge owns the bundle. */
bool merge_add(struct merge *m, struct bundle *b, size_t i, uint64_t start);
/* Lowers the start of the source's waiting chunks to `start`, except those of one bundle. */
void merge_hasten(struct merge *m, const struct bundle *but, uint16_t source, uint64_t start);
/* Returns a time such that no event of the chunk is earlier. */
uint64_t merge_start(const struct section *s, const struct clock_map *clocks,
		     const struct chunk_ref *r);
/*
 * Fills *ev with the next event before `limit` and returns 1; 0 if there is none; -1 if memory runs
 * out.
 */
int merge_next(struct merge *m, uint64_t limit, struct trawl_event *ev);
/*
 * A fast path: the same if no chunk has to be decoded first; otherwise returns 0, and merge_next()
 * must be called.
 */
int merge_next_due(struct merge *m, struct trawl_event *ev);
/* Begins another section; drops what is left of the one before. */
void merge_begin(struct merge *m, struct section *s);
void merge_free(struct merge *m);

/* What a chunk of this source needs to be decoded. Valid as long as the section. */
struct chunk_schema section_schema(const struct section *s, uint16_t source);

#endif
