/* SPDX-License-Identifier: MIT */
/*
 * Whether perf's events counted all the time. Where others want the same counters, the kernel lets
 * them take turns and says nothing in the records; a CPU that was offline when recording began has
 * no event at all. But each event knows how long it could have counted and how long it did.
 */
#ifndef TRAWL_CAPTURE_BRANCH_CONTENTION_H
#define TRAWL_CAPTURE_BRANCH_CONTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CONTENTION_SLACK_NS = 50000,
	CONTENTION_DOUBT_NS = 1000000000, /* what was not told apart for so long counts as a gap */
};

/* All times in ns; checked, from and until are of CLOCK_MONOTONIC. */
struct contention {
	uint64_t missed;      /* time in which no event counted, as of `checked` */
	uint64_t checked;     /* up to here it is known */
	uint64_t from, until; /* when events last did not count: after `from`; 0, 0: never */
};

/*
 * Times of all events were read from `began` to `ended`: those of the CPU that has most could have
 * counted for `could`, those of all CPUs together counted for `did`. True if they missed some since
 * the time checked last. Where the reading took too long to tell, `checked` stays.
 */
bool contention_check(struct contention *c, uint64_t could, uint64_t did, uint64_t began,
		      uint64_t ended, size_t cpus);

/* Whether branches may be missing in front of what was recorded at this time. */
bool contention_at(const struct contention *c, uint64_t time);

#endif
