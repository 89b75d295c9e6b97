// SPDX-License-Identifier: MIT
/*
 * ptstep: the branches of a single-threaded command, by single steps of ptrace and Zydis, for
 * comparison with the module. Prints lines "KIND FROM TO".
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <Zydis/Zydis.h>
#include "kmod/trawl_uapi.h"

static bool look(pid_t pid, unsigned long ip, ZydisDecodedInstruction *insn,
		 ZydisDecodedOperand *operands)
{
	unsigned char bytes[15];
	struct iovec to = { bytes, sizeof(bytes) }, from = { (void *)ip, sizeof(bytes) };
	ZydisDecoder decoder;
	ssize_t n = process_vm_readv(pid, &to, 1, &from, 1, 0);

	if (n < 0) {
		from.iov_len = 4096 - (ip & 4095);
		n = process_vm_readv(pid, &to, 1, &from, 1, 0);
	}
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return n > 0 && ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, n, insn, operands));
}

static unsigned int kind_of(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o)
{
	bool far = i->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR ||
		i->mnemonic == ZYDIS_MNEMONIC_IRETQ || i->mnemonic == ZYDIS_MNEMONIC_IRETD;
	bool indirect = i->operand_count && o[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE;

	if (far)
		return TRAWL_KIND_FAR;
	switch (i->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return TRAWL_KIND_JCC;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return indirect ? TRAWL_KIND_IND_JMP : TRAWL_KIND_REL_JMP;
	case ZYDIS_CATEGORY_CALL:
		return indirect ? TRAWL_KIND_IND_CALL : TRAWL_KIND_REL_CALL;
	case ZYDIS_CATEGORY_RET:
		return TRAWL_KIND_RET;
	default:
		return 0;
	}
}

/* Whether a conditional branch is taken. */
static bool holds(ZydisMnemonic m, const struct user_regs_struct *r)
{
	switch (m) {
	case ZYDIS_MNEMONIC_JZ:
		return r->eflags & 0x40;
	case ZYDIS_MNEMONIC_JNZ:
		return !(r->eflags & 0x40);
	case ZYDIS_MNEMONIC_LOOP:
		return r->rcx != 1;
	case ZYDIS_MNEMONIC_JRCXZ:
		return !r->rcx;
	case ZYDIS_MNEMONIC_JECXZ:
		return !(unsigned int)r->rcx;
	default:
		fprintf(stderr, "ptstep: a branch to the next instruction that it does not know\n");
		exit(1);
	}
}

/* ptrace leaves its trap flag in the flags that pushf stores and that syscall copies to r11. */
static void hide_flag(pid_t pid, const ZydisDecodedInstruction *insn, struct user_regs_struct *now)
{
	long word;

	if (insn->mnemonic == ZYDIS_MNEMONIC_PUSHFQ || insn->mnemonic == ZYDIS_MNEMONIC_PUSHF) {
		word = ptrace(PTRACE_PEEKDATA, pid, now->rsp, 0);
		ptrace(PTRACE_POKEDATA, pid, now->rsp, word & ~0x100l);
	} else if (insn->mnemonic == ZYDIS_MNEMONIC_SYSCALL) {
		now->r11 &= ~0x100ull;
		ptrace(PTRACE_SETREGS, pid, 0, now);
	}
}

static void step(pid_t pid, struct user_regs_struct *before, struct user_regs_struct *now)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;
	unsigned int kind;

	if (!look(pid, before->rip, &insn, operands))
		return;
	/* The instruction after one that sets ss has no trap of its own. */
	if (insn.mnemonic == ZYDIS_MNEMONIC_MOV &&
	    operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    operands[0].reg.value == ZYDIS_REGISTER_SS && now->rip != before->rip + insn.length) {
		before->rip += insn.length;
		look(pid, before->rip, &insn, operands);
	}
	hide_flag(pid, &insn, now);
	kind = kind_of(&insn, operands);
	if (kind == TRAWL_KIND_JCC && now->rip == before->rip + insn.length) {
		bool to_next = operands[0].imm.value.s == 0;

		if (!to_next || !holds(insn.mnemonic, before))
			return;
	}
	if (kind)
		printf("%u %llx %llx\n", kind, before->rip, now->rip);
}

int main(int argc, char **argv)
{
	struct user_regs_struct before, now;
	int status;
	pid_t pid;

	(void)argc;
	pid = fork();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[1], argv + 1);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	ptrace(PTRACE_GETREGS, pid, 0, &before);
	for (;;) {
		ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
		if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
			break;
		ptrace(PTRACE_GETREGS, pid, 0, &now);
		step(pid, &before, &now);
		before = now;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
