/* SPDX-License-Identifier: MIT */
/*
 * Maps recorded times to the current time: when an event is due, and how late it was. Times in ns.
 */
#ifndef TRAWL_REPLAY_PACE_H
#define TRAWL_REPLAY_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/base/output.h"

/* histogram of lateness up to 100 ms, in steps of 10 us */
enum { PACE_BUCKETS = 10000, PACE_BUCKET = 10000 };

struct pace {
	double speed;      /* 2: twice as fast as recorded; 0: without waiting */
	bool begun;
	uint64_t from;     /* recorded time of the first event */
	uint64_t start;    /* CLOCK_MONOTONIC when it was due */
	uint64_t n, worst; /* number of events; largest lateness */
	uint64_t late[PACE_BUCKETS];
};

/* The current time, CLOCK_MONOTONIC. */
uint64_t pace_clock(void);

/*
 * Begins; also requests real-time priority and exact timers for this process if speed is above 0.
 */
void pace_start(struct pace *p, double speed);

/*
 * True if this recorded time is due. If not, the caller should flush its buffers before
 * pace_wait().
 */
bool pace_is_due(struct pace *p, uint64_t time);
/* Waits until this recorded time is due. False if a signal interrupted the wait. */
bool pace_wait(struct pace *p, uint64_t time);
/* Records how late the event with this recorded time was output. */
void pace_note(struct pace *p, uint64_t time);
/* Begins anew with the next event, for a loop. */
void pace_again(struct pace *p);

/* Writes a summary: "1000 events, late by 80 us at most, 99 % by 20 us". */
void pace_summary(const struct pace *p, struct out *o);

#endif
