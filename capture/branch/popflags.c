/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <ucontext.h>

#include "capture/branch/popflags.h"

enum {
	FLAG_ID = 1 << 21,
	/* carry, parity, adjust, zero, sign, trap, direction, overflow, nested task */
	LOW_FLAGS = 0x4dd5,
	HIGH_FLAGS = 1 << 18 | FLAG_ID, /* alignment check, identification */
};

/*
 * Returns the flags that popf leaves in user mode. bits: of its operand, 16, 32 or 64; popped: the
 * word on the stack.
 */
static uint64_t flags_after(uint64_t flags, uint64_t popped, unsigned int bits)
{
	uint64_t mask = bits == 16 ? LOW_FLAGS : LOW_FLAGS | HIGH_FLAGS;

	return (flags & ~mask) | (popped & mask);
}

/* at: in struct user_regs_struct. */
static bool set(pid_t tid, size_t at, uint64_t value)
{
	return !ptrace(PTRACE_POKEUSER, tid, at, value);
}

bool popflags_execute(pid_t tid, const struct branch_insn *insn, struct user_regs_struct *u)
{
	uint64_t flags, rsp = u->rsp + insn->pops_flags / 8;
	long popped;

	if (!insn->pops_flags || insn->probed)
		return false;
	errno = 0;
	popped = ptrace(PTRACE_PEEKDATA, tid, u->rsp, 0);
	if (errno)
		return false;
	flags = flags_after(u->eflags, (uint64_t)popped, insn->pops_flags);
	/* ptrace does not set ID, and a trap flag that it sets is the program's own already. */
	if ((flags ^ u->eflags) & FLAG_ID || (flags | u->eflags) & TRAP_FLAG)
		return false;
	if (!set(tid, offsetof(struct user_regs_struct, eflags), flags) ||
	    !set(tid, offsetof(struct user_regs_struct, rsp), rsp) ||
	    !set(tid, offsetof(struct user_regs_struct, rip), u->rip + insn->length))
		return true; /* it was killed */
	u->eflags = flags;
	u->rsp = rsp;
	u->rip += insn->length;
	return true;
}

void popflags_hide_in_frame(pid_t tid, const struct user_regs_struct *u)
{
	/* struct rt_sigframe: the address to which the handler returns, then the context */
	uint64_t at = u->rsp + 8 + offsetof(ucontext_t, uc_mcontext.gregs[REG_EFL]);
	long flags;

	errno = 0;
	flags = ptrace(PTRACE_PEEKDATA, tid, at, 0);
	if (!errno)
		ptrace(PTRACE_POKEDATA, tid, at, flags & ~(long)TRAP_FLAG);
}
