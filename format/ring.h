/* SPDX-License-Identifier: MIT */
/*
 * The newest part of a capture, in memory: a circular buffer of blocks. When it is full, the oldest
 * blocks are overwritten. What later events still need of these (the newest metadata of each name,
 * the clock-sync before the first chunk) is kept beside the buffer.
 *
 * ring_take() detaches the contents as a spill. spill_write() writes them to a file, in a thread of
 * the caller, and frees the buffer piece by piece; meanwhile the ring continues in the free part.
 *
 * All functions but spill_write() are thread safe.
 */
#ifndef TRAWL_FORMAT_RING_H
#define TRAWL_FORMAT_RING_H

#include "format/block.h"
#include "format/batcher.h"
#include "format/sectionwriter.h"

struct ring;

/* Creates a ring of `size` bytes. Returns NULL with *err on failure. */
struct ring *ring_new(uint64_t size, struct trawl_error *err);
void ring_free(struct ring *r);

/*
 * These append a block. They wait while the buffer is full and a spill occupies its oldest part.
 * Return false if the block is larger than the ring can keep.
 */
bool ring_chunk(struct ring *r, const struct chunk_head *c, const void *payload, size_t len);
bool ring_meta(struct ring *r, const struct trawl_meta *m, bool repeat);
void ring_sync(struct ring *r, const struct trawl_sync *s);
void ring_loss(struct ring *r, const struct trawl_loss *l);

/*
 * Fills *state except dropped_until, which is set to 0; dropped[i] is the newest time stamp of
 * source i that was overwritten, by the source's clock, or 0.
 */
void ring_state(struct ring *r, struct trawl_ring_state *state, uint64_t dropped[SOURCES_MAX]);

/*
 * Detaches the contents of the ring and the current list of sources. Returns NULL with *err if a
 * spill exists, or memory runs out. batchers and front->comment must stay valid until
 * spill_write().
 */
struct trawl_spill *ring_take(struct ring *r, struct batcher *const *batchers, uint32_t nbatchers,
			      const struct section_writer_front *front, struct trawl_error *err);

/*
 * Writes the spill as a file to fd, closes fd and frees the spill in any case. Returns 0, or -1
 * with *err; *events is the number of events written.
 */
int spill_write(struct trawl_spill *s, int fd, uint64_t *events, struct trawl_error *err);

#endif
