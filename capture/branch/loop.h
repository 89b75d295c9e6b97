/* SPDX-License-Identifier: MIT */
/*
 * A loop in this program whose branches are known one by one: LOOP_TURNS - 1 times its jump, then
 * its return. Whoever records it can tell what it should have recorded.
 */
#ifndef TRAWL_CAPTURE_BRANCH_LOOP_H
#define TRAWL_CAPTURE_BRANCH_LOOP_H

#include "common/branch.h"

enum { LOOP_TURNS = 1000 };

/* Branches of the loop that were recorded. wrong: from an instruction of it, but not as it runs. */
struct loop_count {
	unsigned int turns, returns, wrong;
};

void loop_run(void);

/* Counts a recorded branch; branches from elsewhere do not count. */
void loop_take(struct loop_count *c, const struct branch *b);

#endif
