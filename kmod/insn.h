/* SPDX-License-Identifier: GPL-2.0-only */
/* How an x86 instruction changes the flow of control and the trap flag. */
#ifndef TRAWL_KMOD_INSN_H
#define TRAWL_KMOD_INSN_H

#include "kmod/plain.h"

#define INSN_MAX	15	/* longest instruction, in bytes */

enum insn_special {
	INSN_PLAIN,
	INSN_SYSCALL,		/* syscall: copies the flags to r11 */
	INSN_SYSENTER,		/* returns to an address in the vDSO */
	INSN_INT,		/* int N except int 3: a system call, or a signal */
	INSN_TRAP,		/* int3, int1, into: raise a signal */
	INSN_PUSHF,
	INSN_POPF,		/* popf, iret */
	INSN_MOV_SS,		/* mov ss, pop ss: the trap comes only after the next instruction */
};

struct insn {
	__u64 target;		/* address a direct branch goes to */
	__u8 kind;		/* enum trawl_branch_kind if it is a branch, otherwise 0 */
	__u8 special;		/* enum insn_special */
	__u8 length;		/* bytes, of branches and special instructions; 0: unknown */
	__u8 condition;		/* of a TRAWL_KIND_JCC: 0 to 15 as in its opcode, or INSN_LOOPNE
				 * ... */
	__u8 counter_bits;	/* 64, 32 or 16: size of the counter of INSN_LOOPNE ... */
	bool constant;		/* target is known */
};

enum { INSN_LOOPNE = 16, INSN_LOOPE, INSN_LOOP, INSN_JCXZ };

/*
 * insn_decode() - decodes the instruction at `bytes`, of which `count` bytes are there (more than
 * INSN_MAX are not used) and whose address is `ip`, for 64-bit or 32-bit mode. Returns false if the
 * bytes end within the instruction, or if it is longer than an instruction may be.
 */
bool insn_decode(struct insn *insn, const __u8 *bytes, size_t count, __u64 ip, bool mode64);

/*
 * insn_taken() - whether a TRAWL_KIND_JCC jumps, given the flags and rcx before it. Needed only
 * where its target is the next instruction, so that the next ip does not tell.
 */
bool insn_taken(const struct insn *insn, __u64 flags, __u64 counter);

#endif
