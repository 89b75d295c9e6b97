/* SPDX-License-Identifier: MIT */
/* Numbers of variable length in a buffer and a view. */
#ifndef TRAWL_FORMAT_VARINT_H
#define TRAWL_FORMAT_VARINT_H

#include "format/bytes.h"

/* LEB128: seven bits a byte, the lowest first, bit 7 set on all but the last. */
void buf_varint(struct buf *b, uint64_t v);

uint64_t view_varint(struct view *v);
/* A number that may be at most max; a larger one is bad and gives zero. */
uint64_t view_varint_max(struct view *v, uint64_t max);

/* A signed number as an unsigned one: 0, -1, 1, -2, 2 ... become 0, 1, 2, 3, 4 ... */
static inline uint64_t zigzag(uint64_t v)
{
	return v << 1 ^ (uint64_t)((int64_t)v >> 63);
}

static inline uint64_t unzigzag(uint64_t z)
{
	return z >> 1 ^ (0 - (z & 1));
}

#endif
