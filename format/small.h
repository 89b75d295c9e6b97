/* SPDX-License-Identifier: MIT */
/*
 * Small files: a section whose start block, of version 3, 4 or 6, holds all of it in one frame. A
 * reader sees the blocks that the section would have otherwise, at addresses of their own: bit 63,
 * then the offset of the start block, then 20 bits within its expanded blocks. docs/format.md,
 * "Small sections".
 */
#ifndef TRAWL_FORMAT_SMALL_H
#define TRAWL_FORMAT_SMALL_H

#include "format/block.h"
#include "format/input.h"
#include "format/trawl.h"

enum {
	SMALL_VERSION = 4,            /* 3 had the first dictionary */
	SMALL_LATER = 6,              /* with chunks of PAYLOAD_TICKS */
	SMALL_BITS = 20,              /* of an address within the expanded blocks */
	SMALL_FILE_MAX = TRAWL_SMALL_MOST, /* larger files are not made small */
};
#define SMALL_ADDRESS INPUT_OVERLAY

/* The offset in the file of an address: of a small section that of its block. */
static inline uint64_t small_offset(uint64_t at)
{
	return at & SMALL_ADDRESS ? (at & ~SMALL_ADDRESS) >> SMALL_BITS : at;
}

static inline bool block_is_small(const struct block *b)
{
	return b->kind == BLOCK_START && (b->version == 3 || b->version == SMALL_VERSION ||
					  b->version == SMALL_LATER);
}

/*
 * Expands the whole block at `at`, which p holds, into in->small. front: of the section's header.
 * Returns the address of the first byte, and in *len their number; 0: damaged, or out of memory.
 */
uint64_t small_expand(struct input *in, uint64_t at, const uint8_t *p, const struct block *b,
		      uint64_t front, uint64_t *len);

#endif
