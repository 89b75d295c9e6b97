/* SPDX-License-Identifier: MIT */
/*
 * The newest of a capture, in memory: what would be blocks of a file waits in a circle of bytes,
 * and when that is full the oldest gives way. What an event of today needs and was said long ago
 * (the newest metadata of each name, the clock-sync before the first chunk) is kept beside it.
 *
 * ring_take() sets all that there is apart as a spill; spill_write() makes a file of it, in a
 * thread of the caller's, while the ring goes on in the room that this frees bit by bit.
 *
 * Everything but spill_write() may be called from several threads.
 */
#ifndef TRAWL_FORMAT_RING_H
#define TRAWL_FORMAT_RING_H

#include "format/block.h"
#include "format/batcher.h"
#include "format/sectionwriter.h"

struct ring;

/* A circle of `size` bytes. */
struct ring *ring_new(uint64_t size, struct trawl_error *err);
void ring_free(struct ring *r);

/*
 * These put what is newest; they wait while a spill holds the room. False when it is too large
 * to be kept at all.
 */
bool ring_chunk(struct ring *r, const struct chunk_head *c, const void *payload, size_t len);
bool ring_meta(struct ring *r, const struct trawl_meta *m, bool repeat);
void ring_sync(struct ring *r, const struct trawl_sync *s);
void ring_loss(struct ring *r, const struct trawl_loss *l);

/* dropped: of each source the newest time that gave way, by its own clock, 0: none; dropped_until
 * is left 0. */
void ring_state(struct ring *r, struct trawl_ring_state *state, uint64_t dropped[SOURCES_MAX]);

/*
 * Sets apart what the ring holds, with the sources that there are. One at a time: NULL with *err
 * when a spill is not freed yet, or memory runs out. batchers and front->comment must stay.
 */
struct trawl_spill *ring_take(struct ring *r, struct batcher *const *batchers, uint32_t nbatchers,
			      const struct section_writer_front *front, struct trawl_error *err);

/* Writes a whole file to fd, which is closed in any case, and frees the spill. */
int spill_write(struct trawl_spill *s, int fd, uint64_t *events, struct trawl_error *err);

#endif
