/* SPDX-License-Identifier: MIT */
/*
 * Where the chunks of a file are. The catalog keeps little of each segment of a section
 * (catalog.h). When the time of a segment's first event is reached, its chunk entries and
 * clock-syncs are read again: from its index block or, without an index, from the heads of its
 * blocks. So a reader holds those of one segment, or of a few that overlap in time, however long
 * the file is.
 */
#ifndef TRAWL_FORMAT_SEGMENT_H
#define TRAWL_FORMAT_SEGMENT_H

#include "format/openfile.h"

/*
 * The scan of a section without an index came to a chunk or a sync block at this offset of the
 * section. False when memory runs out.
 */
bool segment_block(struct trawl_reader *r, struct section *s, uint64_t at, bool chunk);

/* The i-th segment of a section, to be freed; NULL and *err. */
struct bundle *segment_read(struct trawl_reader *r, const struct section *s, size_t i,
			 struct trawl_error *err);

/* Whether a chunk may have events that were asked for. */
bool segment_wanted(const struct trawl_reader *r, const struct section *s,
		 const struct clock_map *clocks, const struct chunk_ref *ref);

/* The merge's section has begun: finds out which of its segments are wanted, and when. 0 or -1. */
int segments_begin(struct trawl_reader *r, struct lane *l, struct trawl_error *err);
/* Events before this need no more segments than have been taken. */
uint64_t segments_limit(const struct lane *l);
/* Takes the next segment: 1, or 0 when there is none, or -1 and *err. */
int segments_next(struct trawl_reader *r, struct lane *l, struct trawl_error *err);

/* The clock-syncs around this offset of the section. */
struct clock_map segment_clocks(struct trawl_reader *r, const struct section *s, uint64_t at);

#endif
