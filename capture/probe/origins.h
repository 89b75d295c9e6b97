/* SPDX-License-Identifier: MIT */
/*
 * Where the registers' values come from on a path through a function: what tells the table of an
 * indirect jump. Needs Zydis.
 */
#ifndef TRAWL_CAPTURE_PROBE_ORIGINS_H
#define TRAWL_CAPTURE_PROBE_ORIGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <Zydis/Zydis.h>

enum { ORIGINS_ENTRIES = 1 << 16 }; /* of a jump table, at most */

/* One instruction as decoded. */
struct step {
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t at, next;
};

/* False if there is no instruction. */
bool step_decode(const ZydisDecoder *d, const unsigned char *bytes, size_t n, uint64_t at,
		 struct step *s);

/* The address that a memory operand has by itself: of (%rip) and of a bare displacement. */
bool fixed_address(const struct step *s, const ZydisDecodedOperand *o, uint64_t *vaddr);

/* How the register of an indirect jump got its value. */
enum origin { FROM_ELSEWHERE, FROM_SUM, FROM_INDEXED };

/* What the general registers were last set by on this path, and what is known of an index. */
struct origins {
	enum origin of[16];
	uint64_t address[16]; /* loaded by lea, or of the table that the value comes from; or 0 */
	uint64_t compared;    /* the last comparison was with this, + 1; or 0 */
	size_t limit;         /* a value below this was let through */
	bool called;          /* the last instruction but for nops was a call */
};

/* A register by its number in instructions; -1: no general one. */
int reg_number(ZydisRegister reg);

/* The table that an operand with an index reads, if it is known; else 0. */
uint64_t table_address(const struct origins *origins, const ZydisDecodedOperand *o);

/* The path goes on after this instruction. */
void note_origin(struct origins *origins, const struct step *s);

#endif
