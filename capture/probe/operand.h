/* SPDX-License-Identifier: MIT */
/*
 * An argument as a stapsdt note writes it, "-4@%edi", and what tracefs can make of it.
 *
 * The text is [SIZE[f]@]OPERAND, SIZE in bytes and negative if signed, OPERAND as the GNU
 * assembler takes it. The format is nowhere written down but in <sys/sdt.h> and in what gcc and
 * clang emit for its constraints "nor".
 */
#ifndef TRAWL_CAPTURE_PROBE_OPERAND_H
#define TRAWL_CAPTURE_PROBE_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An x86-64 register under one of its names: part of what the kernel keeps in struct pt_regs. */
struct reg {
	const char *pt;     /* the kernel's name: "di", "r8", "ip" */
	unsigned int bits;  /* 8, 16, 32, 64 */
	unsigned int shift; /* 8 for ah, bh, ch, dh */
};

/* Looks up "edi", "r8d", "ah", ...: gas names without the '%'. False for all others. */
bool reg_find(const char *name, size_t len, struct reg *reg);

enum operand_form {
	OPERAND_REG,         /* %edi */
	OPERAND_IMM,         /* $5, $symbol+4 */
	OPERAND_MEM,         /* disp(%base): also without base */
	OPERAND_SIB,         /* disp(%base,%index,scale) */
	OPERAND_RIP,         /* symbol+disp(%rip), or a bare symbol+disp: its address counts */
	OPERAND_UNAVAILABLE, /* why says why */
};

struct operand {
	enum operand_form form;
	unsigned int size;  /* bytes of the value: 1, 2, 4, 8; else form is UNAVAILABLE */
	bool is_signed, is_float;
	struct reg reg;     /* REG; MEM and SIB: base, pt NULL if there is none */
	struct reg index;   /* SIB */
	int scale;
	int64_t disp;       /* or the value of IMM */
	char symbol[128];   /* added to disp: "" if none */
	char why[160];
};

/* Parses one argument of a note; never fails: what it does not understand is UNAVAILABLE. */
void operand_parse(const char *text, size_t len, struct operand *op);

/* Cuts the next argument off a note's argument text; NULL at the end. *text moves on. */
const char *operand_next(const char **text, size_t *len);

#endif
