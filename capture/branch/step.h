/* SPDX-License-Identifier: MIT */
/* Finds what a single step did, from the instruction and the registers before and after it. */
#ifndef TRAWL_CAPTURE_BRANCH_STEP_H
#define TRAWL_CAPTURE_BRANCH_STEP_H

#include "capture/branch/insn.h"
#include "common/branch.h"

struct step {
	struct branch_insn insn;   /* at before.rip */
	struct branch_regs before;
	uint64_t call;             /* number of the system call, if it is one */
};

enum step_how {
	STEP_TRAP,   /* the processor trapped after the instruction */
	STEP_SIGNAL, /* a signal's handler is about to begin; the instruction has not run */
	STEP_OTHER,  /* the task stopped for another reason; the instruction may not have run */
};

/* Whether the system call of this step has a 32-bit number: int 0x80 of 64-bit code has, too. */
bool step_call_is_32bit(const struct step *s);

/* Returns whether a branch was taken, and fills *b. */
bool step_branch(const struct step *s, const struct branch_regs *now, enum step_how how,
		 struct branch *b);

#endif
