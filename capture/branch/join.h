/* SPDX-License-Identifier: MIT */
/*
 * Joins two consecutive samples of a task's last branches. A loop repeats the same branches, so the
 * overlap of two stacks cannot be found by comparing them: a counter of the branches taken between
 * the samples gives it.
 */
#ifndef TRAWL_CAPTURE_BRANCH_JOIN_H
#define TRAWL_CAPTURE_BRANCH_JOIN_H

#include <linux/perf_event.h>

#include "capture/branch/perfring.h"
#include "capture/branch/stack.h"
#include "format/trawl.h"

/* The begin of a sample of an event with join_attr(); the branch stack follows it. */
struct join_sample {
	struct perf_sample_head head;
	uint64_t count, enabled, running; /* branches taken so far; time_enabled, time_running in
					   * ns */
	uint64_t id;                      /* ID of the event */
};

struct joining {
	size_t fresh;  /* number of the newest branches of `now` that are not in `before` */
	uint64_t lost; /* number of branches between the two stacks */
};

/*
 * taken: the number of branches from the end of `before` to the end of `now`. before: NULL for the
 * first sample. Returns false if the stacks contradict `taken`.
 */
bool join_stacks(const struct branch_stack *before, const struct branch_stack *now, uint64_t taken,
		 struct joining *j);

/*
 * Whether the first branches of `now` may be the last ones of `before`: where LBR was off for a
 * while, they are, whatever was taken meanwhile.
 */
bool join_may_overlap(const struct branch_stack *before, const struct branch_stack *now);

/*
 * Sets the attributes of an event of one task that samples the last branches and counts all taken
 * ones. config: the processor's raw event for taken branches.
 */
void join_attr(struct perf_event_attr *a, uint64_t config);

/*
 * Finds the raw event that counts exactly the branches that the processor records, by joining the
 * branches of a known loop in this thread. Returns 0, or -1 with *err if no event does.
 */
int join_find_event(uint64_t *config, struct trawl_error *err);

#endif
