/* SPDX-License-Identifier: MIT */
/* Recorded times as times of now: when is it due, and how late was it? */
#ifndef TRAWL_REPLAY_PACE_H
#define TRAWL_REPLAY_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/base/output.h"

enum { PACE_BUCKETS = 10000, PACE_BUCKET = 10000 }; /* ns: lateness up to 100 ms is told apart */

struct pace {
	double speed;      /* 0: nothing waits */
	bool begun;
	uint64_t from;     /* recorded time of the first */
	uint64_t start;    /* CLOCK_MONOTONIC when it was due */
	uint64_t n, worst; /* how many were waited for; ns that one came too late at most */
	uint64_t late[PACE_BUCKETS];
};

void pace_start(struct pace *p, double speed);

/* Is this recorded time due already? What waits in buffers should go out before pace_wait() if
 * not. */
bool pace_is_due(struct pace *p, uint64_t time);
/* Waits for it; false: a signal came. */
bool pace_wait(struct pace *p, uint64_t time);
/* Notes how late an event of this time is, now that it is out. */
void pace_note(struct pace *p, uint64_t time);
/* The first comes again: a loop. */
void pace_again(struct pace *p);

/* "1000 events, late by 80 us at most, 99 % by 20 us" */
void pace_tell(const struct pace *p, struct out *o);

#endif
