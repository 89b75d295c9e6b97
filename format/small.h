/* SPDX-License-Identifier: MIT */
/*
 * Small sections: the start block, of version 3, 4 or 6, contains the whole section in one zstd
 * frame. A reader expands it to ordinary blocks, whose addresses are bit 63, the offset of the
 * start block, and 20 bits of offset within the expanded blocks. docs/format.md, "Small sections".
 */
#ifndef TRAWL_FORMAT_SMALL_H
#define TRAWL_FORMAT_SMALL_H

#include "format/block.h"
#include "format/input.h"
#include "format/trawl.h"

enum {
	SMALL_VERSION = 4,            /* version 3 uses the first dictionary */
	SMALL_COMPACT = 6,            /* with chunks of PAYLOAD_TICKS */
	SMALL_BITS = 20,              /* of the length of the items */
	SMALL_ROOM = 22,              /* of an address within the blocks that are made of them */
	SMALL_FILE_MAX = TRAWL_SMALL_MOST, /* larger files are not made small */
};
#define SMALL_ADDRESS INPUT_OVERLAY

/* Returns the file offset of an address; for a small section, that of its start block. */
static inline uint64_t small_offset(uint64_t at)
{
	return at & SMALL_ADDRESS ? (at & ~SMALL_ADDRESS) >> SMALL_ROOM : at;
}

static inline bool block_is_small(const struct block *b)
{
	return b->kind == BLOCK_START && (b->version == 3 || b->version == SMALL_VERSION ||
					  b->version == SMALL_COMPACT);
}

/*
 * Expands the start block at offset `at`, whose bytes are at p, into in->small. front: the hash of
 * the section's header. Returns the address of the first expanded byte, and in *len their number; 0
 * if the block is damaged or memory runs out.
 */
uint64_t small_expand(struct input *in, uint64_t at, const uint8_t *p, const struct block *b,
		      uint64_t front, uint64_t *len);

#endif
