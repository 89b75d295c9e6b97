/* SPDX-License-Identifier: MIT */
/* Decodes instructions for single-stepping: the kind of branch, and whether it is taken. */
#ifndef TRAWL_CAPTURE_BRANCH_INSN_H
#define TRAWL_CAPTURE_BRANCH_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BRANCH_INSN_BYTES = 15,   /* the longest instruction */
	BRANCH_BREAKPOINT = 0xcc, /* int3, which a uprobe writes over the first byte of an
				   * instruction */
};

/* The registers that decide whether a branch is taken. */
struct branch_regs {
	uint64_t rip, rcx, flags;
	bool compat; /* 32-bit code */
};

struct branch_insn {
	uint8_t length;     /* in bytes; 0: not known */
	uint8_t kind;       /* enum branch_kind; BRANCH_UNKNOWN: no branch */
	uint8_t condition;  /* of a jcc: the low four bits of its opcode, or one of those below */
	int32_t distance;   /* of a direct jump or call: from the next instruction to its target */
	bool pushes_flags;  /* pushf */
	uint8_t pops_flags; /* popf: the bits of its operand; else 0 */
	bool returns_flags; /* iret, which sets them, too */
	bool holds_trap;    /* it loads SS: the trap comes after the next instruction */
	bool traps;         /* int3, int1, int: the program itself may cause the signal that
			     * follows */
	bool probed;        /* memory has a uprobe's int3 here; the kernel steps or emulates the
			     * instruction */
};

enum {
	CONDITION_LOOP = 16,
	CONDITION_LOOPE,
	CONDITION_LOOPNE,
	CONDITION_RCXZ,
	CONDITION_ECXZ,
};

/* Returns whether trawl was built with Zydis. */
bool branch_insn_known(void);

/* Decodes the instruction at the begin of n bytes. length is 0 if it is invalid or incomplete. */
struct branch_insn branch_insn_decode(const uint8_t *bytes, size_t n, bool compat);

/* Returns whether a conditional jump is taken with these registers. */
bool branch_insn_taken(const struct branch_insn *insn, const struct branch_regs *r);

#endif
