/* SPDX-License-Identifier: MIT */
/*
 * Two samples of a task's last branches, one after the other. Code that runs again leaves the same
 * branches, so that nothing in the two stacks tells which of them both have: a counter of the
 * branches taken between the samples does.
 */
#ifndef TRAWL_CAPTURE_BRANCH_JOIN_H
#define TRAWL_CAPTURE_BRANCH_JOIN_H

#include <linux/perf_event.h>

#include "capture/branch/perfring.h"
#include "capture/branch/stack.h"
#include "format/trawl.h"

/* A sample of an event with join_attr(); the stack stands after it. */
struct join_sample {
	struct perf_sample_head head;
	uint64_t count, enabled, running; /* the branches taken so far; ns */
	uint64_t id;                      /* of the event */
};

struct joining {
	size_t fresh;  /* so many of the newest branches of `now` are not in `before` */
	uint64_t lost; /* branches between the two stacks */
};

/*
 * `taken`: how many branches were taken from the end of `before` to the end of `now`. before NULL:
 * there was no sample yet. Returns false if that contradicts what the stacks have in common.
 */
bool join_stacks(const struct branch_stack *before, const struct branch_stack *now, uint64_t taken,
		 struct joining *j);

/* Attributes of an event of one task that samples the last branches and counts all that are taken:
 * `config` is the processor's raw event for these. */
void join_attr(struct perf_event_attr *a, uint64_t config);

/*
 * Finds the raw event that counts the branches that the records have: the one with which a known
 * loop in this thread is joined exactly. Returns 0, or -1 with *err: there is none.
 */
int join_find_event(uint64_t *config, struct trawl_error *err);

#endif
