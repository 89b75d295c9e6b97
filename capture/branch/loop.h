/* SPDX-License-Identifier: MIT */
/*
 * A loop whose branches are known: its jump LOOP_TURNS - 1 times, then its return. Tests of branch
 * recording compare with it.
 */
#ifndef TRAWL_CAPTURE_BRANCH_LOOP_H
#define TRAWL_CAPTURE_BRANCH_LOOP_H

#include "common/branch.h"

#define LOOP_TURNS 1000 /* a macro: the assembly has its text */

/*
 * Counts of recorded branches of the loop, whatever their order. wrong: from an instruction of it
 * that does
 * not branch, or its jump to a wrong target.
 */
struct loop_count {
	unsigned int turns, returns, wrong;
};

void loop_run(void);

/* Counts a recorded branch; ignores branches from outside the loop. */
void loop_take(struct loop_count *c, const struct branch *b);

#endif
