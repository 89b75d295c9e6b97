/* SPDX-License-Identifier: MIT */
/*
 * The timeline: sync blocks relate a source's clock to CLOCK_MONOTONIC, and that to the wall clock.
 * docs/format.md, "Time", is the normative text.
 *
 * A sync block has the readings of all clocks at one moment. Between two sync blocks, times are
 * interpolated. If a clock advanced more or less than slewing can explain, it was stepped (or the
 * machine slept): then events keep the offset of the sync block on their side of the step.
 */
#ifndef TRAWL_FORMAT_CLOCK_H
#define TRAWL_FORMAT_CLOCK_H

#include "format/trawl.h"

struct clock_sync {
	struct trawl_sync s;
	uint64_t at; /* offset of its block in the section */
};

/* The sync blocks of a section in file order, or a contiguous part of them. */
struct clock_map {
	const struct clock_sync *syncs;
	size_t n;
	uint64_t origin; /* time on the timeline = CLOCK_MONOTONIC + origin, modulo 2^64 */
	struct trawl_sync first; /* of the section */
};

/* The map of all sync blocks of a section, which the caller owns. Without any the origin is 0. */
struct clock_map clock_map(const struct clock_sync *syncs, size_t n);

/* clock_to_mono() looks at this many sync blocks before the event at most, and as many after it. */
enum { CLOCK_NEAR = 3 };

/*
 * Returns CLOCK_MONOTONIC at the time stamp `ts` of `clock`. `after` is the number of sync blocks
 * that precede the event in the file, SIZE_MAX if not known. A clock that was set back shows some
 * times twice; `after` resolves the ambiguity.
 */
uint64_t clock_to_mono(const struct clock_map *m, enum trawl_clock clock, uint64_t ts,
		       size_t after);

/*
 * Returns the error bound in ns of an event's time `mono`, or UINT64_MAX if it is not known. `mono`
 * is the result of clock_to_mono() or later, because a stream's times must not decrease.
 */
uint64_t clock_bound(const struct clock_map *m, enum trawl_clock clock, uint64_t ts, size_t after,
		     uint64_t mono);

/*
 * Returns a lower bound in CLOCK_MONOTONIC of the events of a chunk whose smallest time stamp is
 * `first`, and which `after` sync blocks precede.
 */
uint64_t clock_earliest(const struct clock_map *m, enum trawl_clock clock, uint64_t first,
			size_t after);

/* Returns an upper bound likewise; `last` is the largest time stamp. */
uint64_t clock_latest(const struct clock_map *m, enum trawl_clock clock, uint64_t last,
		      size_t after);

/*
 * Returns the index of the last sync block at which the clock showed ts or less, or 0. The clock
 * must not have been set back.
 */
size_t clock_find(const struct clock_map *m, enum trawl_clock clock, uint64_t ts);

/*
 * Whether the wall clock was stepped between two adjacent sync blocks of one section.
 * summary_is_step() does this for a whole file, whose sections may be from several boots.
 */
bool clock_was_set(const struct trawl_sync *a, const struct trawl_sync *b);

/* Returns how many sync blocks begin before offset `at` of the section. */
size_t clock_syncs_before(const struct clock_map *m, uint64_t at);

#endif
