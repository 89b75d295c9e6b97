/* SPDX-License-Identifier: MIT */
/*
 * Where the values of the registers come from on a path through a function; finds the table of an
 * indirect jump. Needs Zydis.
 */
#ifndef TRAWL_CAPTURE_PROBE_ORIGINS_H
#define TRAWL_CAPTURE_PROBE_ORIGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <Zydis/Zydis.h>

enum { ORIGINS_ENTRIES = 1 << 16 }; /* most entries of a jump table */

/* One decoded instruction: its address and that of the next one. */
struct step {
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t at, next;
};

/*
 * Decodes the instruction at address `at`, whose code is in the n bytes. False if they are no
 * instruction.
 */
bool step_decode(const ZydisDecoder *d, const unsigned char *bytes, size_t n, uint64_t at,
		 struct step *s);

/* The address of a memory operand that needs no register but %rip. False if it needs one. */
bool fixed_address(const struct step *s, const ZydisDecodedOperand *o, uint64_t *vaddr);

/*
 * How the register of an indirect jump got its value: otherwise, by add, or by a load with an
 * index.
 */
enum origin { FROM_ELSEWHERE, FROM_SUM, FROM_INDEXED };

/* What last set each general register on this path, and what is known about an index. */
struct origins {
	enum origin of[16];
	/* loaded by lea, or of the table that the value was loaded from; 0: unknown */
	uint64_t address[16];
	uint64_t compared;    /* 1 + the constant of the last comparison; 0: unknown */
	size_t limit;         /* a conditional jump let only values below this pass; 0: unknown */
	bool called;          /* the last instruction, except nops, was a call */
};

/* The number of a general register in instruction encodings; -1 if it is no general register. */
int reg_number(ZydisRegister reg);

/* The address of the table that an operand with an index reads; 0 if unknown. */
uint64_t table_address(const struct origins *origins, const ZydisDecodedOperand *o);

/* Updates *origins for an instruction on the path. */
void note_origin(struct origins *origins, const struct step *s);

#endif
