/* SPDX-License-Identifier: MIT */
/*
 * Finds the chunks of a file. The catalog keeps only the place of each segment of a section
 * (catalog.h). When the time of a segment's first event is reached, its chunk entries and
 * clock-syncs are read again: from its index block or, without an index, from the heads of its
 * blocks. So a reader holds those of one segment, or of a few that overlap in time, even if the
 * file is long.
 */
#ifndef TRAWL_FORMAT_SEGMENT_H
#define TRAWL_FORMAT_SEGMENT_H

#include "format/openfile.h"

/*
 * Call when the scan of a section without an index finds a chunk or a sync block at this offset of
 * the section. Returns false if memory runs out.
 */
bool segment_block(struct trawl_reader *r, struct section *s, uint64_t at, bool chunk);

/* Reads the i-th segment of a section; the caller frees it. Returns NULL with *err. */
struct bundle *segment_read(struct trawl_reader *r, const struct section *s, size_t i,
			 struct trawl_error *err);

/* Whether a chunk may have selected events. */
bool segment_wanted(const struct trawl_reader *r, const struct section *s,
		 const struct clock_map *clocks, const struct chunk_ref *ref);

/*
 * Begins the lane's section: finds the segments with selected events, and their first times.
 * Returns 0, or -1 with *err.
 */
int segments_begin(struct trawl_reader *r, struct lane *l, struct trawl_error *err);
/* Returns a time: events before it are in segments that were taken. */
uint64_t segments_limit(const struct lane *l);
/* Adds the chunks of the next segment to the merge. Returns 1; 0 if there is none; -1 with *err. */
int segments_next(struct trawl_reader *r, struct lane *l, struct trawl_error *err);

/* Returns the clock-syncs around this offset of the section, valid until the next call. */
struct clock_map segment_clocks(struct trawl_reader *r, const struct section *s, uint64_t at);

#endif
