/* SPDX-License-Identifier: MIT */
#include "common/branch.h"

static const char *const kind_names[BRANCH_KINDS] = {
	[BRANCH_UNKNOWN] = "branch",
	[BRANCH_JCC] = "jcc",
	[BRANCH_JMP] = "jmp",
	[BRANCH_INDIRECT_JMP] = "jmp*",
	[BRANCH_CALL] = "call",
	[BRANCH_INDIRECT_CALL] = "call*",
	[BRANCH_RET] = "ret",
	[BRANCH_SYSCALL] = "syscall",
	[BRANCH_SYSRET] = "sysret",
	[BRANCH_COND_CALL] = "cond-call",
	[BRANCH_COND_RET] = "cond-ret",
	[BRANCH_ERET] = "eret",
	[BRANCH_IRQ] = "irq",
	[BRANCH_FAR] = "far",
	[BRANCH_SIGNAL] = "signal",
	[BRANCH_SIGRETURN] = "sigreturn",
	[BRANCH_EXEC] = "exec",
};

const char *branch_kind_name(unsigned int kind)
{
	return kind < BRANCH_KINDS ? kind_names[kind] : "?";
}
