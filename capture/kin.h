/* SPDX-License-Identifier: MIT */
/*
 * The tasks that a capture follows: those of its scope and all that they start. The source "task"
 * tells of their starts and ends; a recorder that has the events of all tasks asks whose to keep.
 *
 * That is dearer than the kernel's own filter where others have events too, and cheaper where they
 * have none: the kernel's check is made at each event, in the program that is recorded.
 */
#ifndef TRAWL_CAPTURE_KIN_H
#define TRAWL_CAPTURE_KIN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct kin {
	/* By TID: until when it was one of them, CLOCK_MONOTONIC ns; 0: never. Pages that nobody
	 * writes to take no memory. A TID that comes again within one drain is not told apart. */
	uint64_t *until;
	uint32_t max;
	uint64_t known; /* what happened before this time is in the table */
};

/* max: TIDs are below it. False: no memory. */
bool kin_init(struct kin *k, uint32_t max);
void kin_free(struct kin *k);

void kin_add(struct kin *k, pid_t tid);
void kin_end(struct kin *k, pid_t tid, uint64_t time);

/* Was the task one of them at the time? Called for every event. */
static inline bool kin_has(const struct kin *k, pid_t tid, uint64_t time)
{
	return (uint32_t)tid < k->max && k->until[tid] >= time;
}

#endif
