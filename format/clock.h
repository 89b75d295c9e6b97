/* SPDX-License-Identifier: MIT */
/*
 * The timeline: how a source's clock is related to CLOCK_MONOTONIC by the clock-sync blocks, and
 * that to the time of day. docs/format.md, "Time", is the normative text.
 *
 * A sync block holds all clocks at one moment. Between two of them a clock runs evenly, unless it
 * went further or less far than slewing can explain: then it was stepped (or the machine slept),
 * and each side keeps the offset of its own sync block.
 */
#ifndef TRAWL_FORMAT_CLOCK_H
#define TRAWL_FORMAT_CLOCK_H

#include "format/trawl.h"

struct clock_sync {
	struct trawl_sync s;
	uint64_t at; /* offset of its block in the section */
};

/* The sync blocks of a section in file order, or some that follow one another. */
struct clock_map {
	const struct clock_sync *syncs;
	size_t n;
	uint64_t origin; /* added (modulo 2^64) to CLOCK_MONOTONIC it gives the timeline */
	struct trawl_sync first; /* of the section */
};

/* Of all the sync blocks of a section; without any the origin is 0. */
struct clock_map clock_map(const struct clock_sync *syncs, size_t n);

/* clock_to_mono() looks at this many sync blocks before the event at most, and as many after it. */
enum { CLOCK_NEAR = 3 };

/*
 * Returns CLOCK_MONOTONIC at the time stamp `ts` of `clock`. `after` is the number of sync blocks
 * that stand before the event in the file, SIZE_MAX if not known. A clock that was set back shows
 * some times twice; `after` tells which of both it is.
 */
uint64_t clock_to_mono(const struct clock_map *m, enum trawl_clock clock, uint64_t ts,
		       size_t after);

/*
 * Returns the error bound in ns of such an event, which is given the time `mono`: that of
 * clock_to_mono(), or a later one, so that its stream does not go back. UINT64_MAX: not known.
 */
uint64_t clock_bound(const struct clock_map *m, enum trawl_clock clock, uint64_t ts, size_t after,
		     uint64_t mono);

/* No event of a chunk that stands after `after` sync blocks, and whose smallest time stamp is
 * `first`, is earlier than this. */
uint64_t clock_earliest(const struct clock_map *m, enum trawl_clock clock, uint64_t first,
			size_t after);

/* Likewise: none is later than this, `last` being the largest time stamp. */
uint64_t clock_latest(const struct clock_map *m, enum trawl_clock clock, uint64_t last,
		      size_t after);

/* The last sync block at which a clock that never went back was at or before ts, or the first. */
size_t clock_find(const struct clock_map *m, enum trawl_clock clock, uint64_t ts);

/*
 * Whether the time of day was stepped between two sync blocks of one section that follow one
 * another. summary_is_step() is for sync blocks of a whole file, whose sections may be of several
 * boots.
 */
bool clock_was_set(const struct trawl_sync *a, const struct trawl_sync *b);

/* How many sync blocks begin before offset `at`. */
size_t clock_syncs_before(const struct clock_map *m, uint64_t at);

#endif
