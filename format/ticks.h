/* SPDX-License-Identifier: MIT */
/*
 * Times in ticks. A clock's counter may be slower than 1 GHz: then every time stamp is a whole
 * number of the counter's ticks, rounded down to ns, and differences in ticks need fewer bits than
 * differences in ns. Where a difference does not match, because of rounding or an adjustment of the
 * clock, a correction follows. docs/format.md, "Ticks".
 */
#ifndef TRAWL_FORMAT_TICKS_H
#define TRAWL_FORMAT_TICKS_H

#include "format/grouping.h"

enum {
	TICKS_BITS = 24, /* fraction bits of a tick's length in ns */
	TICKS_LONGEST = 1024, /* ns */
};

/* The times of a chunk in ticks, and their corrections. */
struct ticks {
	uint64_t length;  /* of a tick, in 2^-24 ns; 0: times are not in ticks */
	uint64_t *number; /* in chunk order: ticks since the previous event in the stream */
	uint64_t *gap;    /* of each correction: events since the previous correction */
	uint64_t *correction; /* ns, zigzag */
	uint32_t ncorrections;
	unsigned int searches; /* number of searches without a result */
	struct room memory;
};

/*
 * Finds the tick length of a batch's clock and converts its times. Returns false if there is none,
 * if the times would not become shorter, or if memory runs out.
 */
bool ticks_encode(struct ticks *t, const struct grouping *o);

/*
 * While a stream is decoded, `fraction` is the part of a ns by which its last time stamp was
 * rounded down, in 2^-24 ns. It is TICKS_HALF at the start of each stream.
 */
enum { TICKS_ONE = 1 << TICKS_BITS, TICKS_HALF = TICKS_ONE / 2 };

/* Converts a difference in ticks to ns, and updates the fraction. */
static inline uint64_t ticks_ns(uint64_t length, uint64_t number, uint64_t *fraction)
{
	uint64_t at = number * length + *fraction;

	*fraction = at & (TICKS_ONE - 1);
	return at >> TICKS_BITS;
}

/*
 * Returns the fraction after a correction: the smallest one if it was positive, else the largest.
 */
static inline uint64_t ticks_corrected(int64_t correction)
{
	return correction > 0 ? 0 : TICKS_ONE - 1;
}

#endif
