/* SPDX-License-Identifier: GPL-2.0-only */
/* What an x86 instruction does to the flow of control, and to the trap flag. */
#ifndef KMOD_INSN_H
#define KMOD_INSN_H

#include "kmod/plain.h"

#define INSN_MAX	15	/* bytes that an instruction may have */

enum insn_special {
	INSN_PLAIN,
	INSN_SYSCALL,		/* syscall: r11 gets the flags */
	INSN_SYSENTER,		/* goes on where the vDSO says */
	INSN_INT,		/* int N, but 3: a system call, or a signal */
	INSN_TRAP,		/* int3, int1, into: a signal */
	INSN_PUSHF,
	INSN_POPF,		/* iret, too */
	INSN_MOV_SS,		/* no trap until the instruction after it has run */
};

struct insn {
	__u64 target;		/* where a branch with a constant in its code goes */
	__u8 kind;		/* enum trawl_kind of a branch, otherwise 0 */
	__u8 special;		/* enum insn_special */
	__u8 length;		/* of branches and of special ones; 0: not looked at */
	__u8 condition;		/* of a TRAWL_KIND_JCC: 0 to 15 as in its opcode, or INSN_LOOPNE
				 * ... */
	__u8 counter_bits;	/* of rcx, ecx or cx, for INSN_LOOPNE ... */
	bool constant;		/* target is known */
};

enum { INSN_LOOPNE = 16, INSN_LOOPE, INSN_LOOP, INSN_JCXZ };

/*
 * insn_decode() - look at the instruction whose first `count` bytes (at most INSN_MAX matter) are
 * at `bytes` and whose address is `ip`, in 64-bit or 32-bit mode. Returns false when it is cut, or
 * longer than an instruction may be.
 */
bool insn_decode(struct insn *insn, const __u8 *bytes, size_t count, __u64 ip, bool mode64);

/*
 * insn_taken() - whether a TRAWL_KIND_JCC jumps, from the flags and rcx before it. Only needed
 * where its target is the instruction after it.
 */
bool insn_taken(const struct insn *insn, __u64 flags, __u64 counter);

#endif
