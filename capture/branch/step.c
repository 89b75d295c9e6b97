/* SPDX-License-Identifier: MIT */
#include "capture/branch/step.h"

enum { RT_SIGRETURN = 15, SIGRETURN_32 = 119, RT_SIGRETURN_32 = 173 };

bool step_call_is_32bit(const struct step *s)
{
	return s->before.compat || s->insn.traps;
}

static bool is_sigreturn(const struct step *s)
{
	return step_call_is_32bit(s) ? s->call == SIGRETURN_32 || s->call == RT_SIGRETURN_32 :
				       s->call == RT_SIGRETURN;
}

/*
 * The instruction pointer has not changed: a string instruction repeats, or a branch went to
 * itself.
 */
static bool branches_to_itself(const struct step *s, enum step_how how)
{
	if (how == STEP_OTHER || s->insn.kind == BRANCH_UNKNOWN || s->insn.kind == BRANCH_SYSCALL)
		return false;
	return s->insn.kind != BRANCH_JCC || branch_insn_taken(&s->insn, &s->before);
}

static uint8_t kind_of(const struct step *s, enum step_how how)
{
	if (how == STEP_SIGNAL)
		return BRANCH_SIGNAL;
	if (s->insn.kind == BRANCH_SYSCALL)
		return is_sigreturn(s) ? BRANCH_SIGRETURN : BRANCH_SYSCALL;
	return s->insn.kind;
}

bool step_branch(const struct step *s, const struct branch_regs *now, enum step_how how,
		 struct branch *b)
{
	uint64_t next = s->before.rip + s->insn.length;

	*b = (struct branch){ .from = s->before.rip, .to = now->rip,
			      .kind = kind_of(s, how) };
	if (how == STEP_SIGNAL)
		return true;
	if (now->rip == s->before.rip)
		return branches_to_itself(s, how);
	if (now->rip != next)
		return true;
	if (b->kind == BRANCH_JCC)
		return branch_insn_taken(&s->insn, &s->before);
	return b->kind != BRANCH_UNKNOWN;
}
