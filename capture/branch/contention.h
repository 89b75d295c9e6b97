/* SPDX-License-Identifier: MIT */
/*
 * Detects times in which perf's events did not count. If other users need the same counters, the
 * kernel multiplexes them, and no record shows it; a CPU that was offline when recording began has
 * no event. time_enabled and time_running of an event say how long it could count and how long it
 * did.
 */
#ifndef TRAWL_CAPTURE_BRANCH_CONTENTION_H
#define TRAWL_CAPTURE_BRANCH_CONTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CONTENTION_SLACK_NS = 50000,
	CONTENTION_DOUBT_NS = 1000000000, /* a doubt between skew and a gap that lasts so long is a
					   * gap */
};

/* All times in ns; checked, from and until are readings of CLOCK_MONOTONIC. */
struct contention {
	uint64_t missed;      /* total time in which no event counted, up to `checked` */
	uint64_t checked;     /* when contention_check() last decided */
	/* ranges in which events may not have counted, in order, not adjoining */
	struct contention_range {
		uint64_t from, until;
	} *ranges;
	size_t n;
};

/* Frees the ranges; *c is as at the beginning then. */
void contention_free(struct contention *c);

/*
 * Takes times of all events, read between `began` and `ended`. could: the largest time_enabled of
 * any CPU's events; did: the sum of time_running of all CPUs. Returns true if events did not count
 * for some time since `checked`. Leaves `checked` as it is if the reading took too long to decide.
 */
bool contention_check(struct contention *c, uint64_t could, uint64_t did, uint64_t began,
		      uint64_t ended, size_t cpus);

/* Takes the time from `checked` to now for one in which events did not count. */
void contention_doubt(struct contention *c, uint64_t now);

/* Whether branches may be missing between two records of these times in a row. */
bool contention_between(const struct contention *c, uint64_t after, uint64_t time);

#endif
