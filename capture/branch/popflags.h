/* SPDX-License-Identifier: MIT */
/*
 * The instruction popf of a stopped task. When the kernel steps over one (or over iret), it takes
 * the trap flag for the program's own from then on (enable_single_step(), arch/x86/kernel/step.c):
 * the program sees it, and is killed by it after PTRACE_DETACH. So the tracer executes popf.
 */
#ifndef TRAWL_CAPTURE_BRANCH_POPFLAGS_H
#define TRAWL_CAPTURE_BRANCH_POPFLAGS_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/user.h>

#include "capture/branch/insn.h"

enum { TRAP_FLAG = 0x100 };

/*
 * Executes `insn` at u->rip and updates the task and *u. Returns false and changes nothing if that
 * is no popf, or one whose effect ptrace cannot set: it is to be stepped.
 */
bool popflags_execute(pid_t tid, const struct branch_insn *insn, struct user_regs_struct *u);

/*
 * A signal's handler of 64-bit code is about to begin: clears the trap flag in the flags to which
 * it will return.
 */
void popflags_hide_in_frame(pid_t tid, const struct user_regs_struct *u);

#endif
