/* SPDX-License-Identifier: MIT */
/* What a single step did: from the instruction and the registers before it, and those after it. */
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
	STEP_SIGNAL, /* likewise, and a signal was handed to the task before */
	STEP_OTHER,  /* the task stopped for another reason: the instruction may not have been
		      * run */
};

/* True if a branch was taken: fills *b. */
bool step_branch(const struct step *s, const struct branch_regs *now, enum step_how how,
		 struct branch *b);

#endif
