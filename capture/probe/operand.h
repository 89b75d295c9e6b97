/* SPDX-License-Identifier: MIT */
/*
 * An argument as a stapsdt note writes it, "-4@%edi".
 *
 * The text is [SIZE[f]@]OPERAND. SIZE is in bytes and negative if the value is signed; f means
 * floating point; OPERAND is in the GNU assembler's syntax. The only sources of this format are
 * <sys/sdt.h> and what gcc and clang emit for its constraint "nor".
 */
#ifndef TRAWL_CAPTURE_PROBE_OPERAND_H
#define TRAWL_CAPTURE_PROBE_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An x86-64 register by one of its names: a part of a register that the kernel saves in struct
 * pt_regs.
 */
struct reg {
	const char *pt;     /* the kernel's name: "di", "r8", "ip" */
	unsigned int bits;  /* 8, 16, 32, 64 */
	unsigned int shift; /* first bit in the register: 8 for ah, bh, ch, dh */
};

/*
 * Looks up a register by its assembler name without '%': "edi", "r8d", "ah". False if it is not a
 * general register or rip.
 */
bool reg_find(const char *name, size_t len, struct reg *reg);

enum operand_form {
	OPERAND_REG,         /* %edi */
	OPERAND_IMM,         /* $5, $symbol+4 */
	OPERAND_MEM,         /* disp(%base), or disp alone */
	OPERAND_SIB,         /* disp(%base,%index,scale) */
	/* symbol+disp(%rip), or symbol+disp alone: the value is in memory at that address */
	OPERAND_RIP,
	OPERAND_UNAVAILABLE, /* `why` has the reason */
};

struct operand {
	enum operand_form form;
	unsigned int size;  /* bytes of the value: 1, 2, 4 or 8, unless form is UNAVAILABLE */
	bool is_signed, is_float;
	/* REG: the register; MEM, SIB: the base, whose pt is NULL if there is none */
	struct reg reg;
	struct reg index;   /* SIB: the index */
	int scale;
	int64_t disp;       /* MEM, SIB, RIP: displacement; IMM: the value */
	char symbol[128];   /* whose address is added to disp; "" if none */
	char why[160];
};

/* Parses one argument of a note. Never fails: what is not supported becomes OPERAND_UNAVAILABLE. */
void operand_parse(const char *text, size_t len, struct operand *op);

/*
 * Returns the next argument of a note's argument text, *len bytes long, and advances *text behind
 * it; NULL at the end.
 */
const char *operand_next(const char **text, size_t *len);

#endif
