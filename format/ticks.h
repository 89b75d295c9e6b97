/* SPDX-License-Identifier: MIT */
/*
 * Times of a clock whose counter is slower than a nanosecond: every time stamp is a whole number of
 * the counter's ticks, rounded down to ns, so that a difference in ticks says as much as one in ns
 * with fewer bits. Where rounding, or a clock that is being adjusted, makes a difference another
 * than the ticks say, a correction follows. docs/format.md, "Ticks".
 */
#ifndef TRAWL_FORMAT_TICKS_H
#define TRAWL_FORMAT_TICKS_H

#include "format/grouping.h"

enum {
	TICKS_BITS = 24, /* of a tick's length after the point */
	TICKS_LONGEST = 1024, /* ns */
};

/* A chunk's times: differences in chunk order, and where they need a correction. */
struct ticks {
	uint64_t length;  /* of a tick, in 2^-24 ns; 0: there is none */
	uint64_t *number; /* in chunk order: ticks since the event before in the stream */
	uint64_t *gap;    /* events since the one with the correction before */
	uint64_t *correction; /* ns, zigzag */
	uint32_t ncorrections;
	unsigned int searches; /* that found nothing */
	struct room memory;
};

/*
 * Finds the tick of a batch's times, if there is one, and puts them in it. False: they are not
 * shorter that way, or memory ran out.
 */
bool ticks_encode(struct ticks *t, const struct grouping *o);

/*
 * Where a stream is: the fraction of a ns that its last time stamp was rounded by, and the next
 * correction. Starts as { .fraction = TICKS_HALF } with each stream.
 */
enum { TICKS_ONE = 1 << TICKS_BITS, TICKS_HALF = TICKS_ONE / 2 };

/* ns of so many ticks after the time before; changes the fraction. */
static inline uint64_t ticks_ns(uint64_t length, uint64_t number, uint64_t *fraction)
{
	uint64_t at = number * length + *fraction;

	*fraction = at & (TICKS_ONE - 1);
	return at >> TICKS_BITS;
}

/* The fraction after a correction: the time stamp was just reached, or nearly passed. */
static inline uint64_t ticks_corrected(int64_t correction)
{
	return correction > 0 ? 0 : TICKS_ONE - 1;
}

#endif
