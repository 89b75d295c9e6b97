/* SPDX-License-Identifier: MIT */
/*
 * When a task's branches happened that were collected later: not before the collection before, nor
 * before the task came to its CPU, where the processor's records and buffers are empty.
 */
#ifndef TRAWL_CAPTURE_BRANCH_DATING_H
#define TRAWL_CAPTURE_BRANCH_DATING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Times of CLOCK_MONOTONIC; 0: not known. */
struct dating {
	uint64_t begun;     /* its recording began */
	uint64_t came;      /* it last came to a CPU */
	uint64_t left;      /* it last left a CPU, or ended */
	uint64_t seen;      /* it was last seen on none, or to be gone */
	uint64_t collected; /* the last collection */
	uint64_t since;     /* what that collected happened at this time or later */
};

/* Notes a collection. Branches from before `begin` are not recorded. */
void dating_collect(struct dating *d, uint64_t time, uint64_t begin);
/*
 * Returns from when branches may be that will be collected later: `until`, up to which all records
 * have been taken, or less if the task is on a CPU. Looks for a task that has not left one for
 * long: the record of that may be lost, and some back ends have none.
 */
uint64_t dating_earliest(struct dating *d, pid_t tid, uint64_t until);

#endif
