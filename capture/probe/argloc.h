/* SPDX-License-Identifier: MIT */
/* The location of a value when a probe is hit, in the syntax of tracefs' fetch arguments. */
#ifndef TRAWL_CAPTURE_PROBE_ARGLOC_H
#define TRAWL_CAPTURE_PROBE_ARGLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/probe/elf.h"
#include "capture/probe/fetch.h"
#include "capture/probe/operand.h"

enum argloc_form {
	ARGLOC_EXPR, /* expr: "%di", "-4(%bp)", "+12(%ip)" */
	ARGLOC_IMM,  /* a constant: imm */
	ARGLOC_SIB,  /* an array element, to be computed from base, index and window */
	ARGLOC_NONE, /* no location: why */
};

struct argloc {
	enum argloc_form form;
	unsigned int bits;  /* size of the value in bits: 8 .. 64; 0 if unknown (a bare register) */
	unsigned int shift; /* first bit of the value in the register: 8 for %ah */
	bool is_signed, is_float;
	bool object;        /* EXPR: the place of an object; a string or array begins there */
	char expr[64];      /* EXPR: the location; SIB: the base register */
	char index[32];     /* SIB: the index register */
	char window[64];    /* SIB: where the window begins; ":x64[N]" follows */
	int scale;
	int64_t disp;
	uint64_t imm;       /* sign-extended to 64 bits if is_signed, else zero-extended */
	char why[200];
};

/* Sets *place to ARGLOC_NONE with this reason. Returns false. */
__attribute__((format(printf, 2, 3))) bool argloc_none(struct argloc *argloc, const char *why, ...);

/*
 * Fills *place with the location of a note's operand for a probe at virtual address pc. The symbols
 * of f resolve symbolic operands. Without a location: ARGLOC_NONE with the reason in place->why.
 */
void argloc_of_operand(const struct operand *op, struct elf_file *f, uint64_t pc,
		      struct argloc *argloc);

/* The same for the variable `symbol` of f. */
void argloc_of_symbol(struct elf_file *f, const char *symbol, uint64_t pc, struct argloc *argloc);

/*
 * Writes "EXPR:TYPE", the fetch argument that records the value at place as a field of type
 * type_text. For a string or array type the value is taken as a pointer to the string or array.
 * Returns false with the reason in why if the kernel cannot record the value as this type.
 */
bool argloc_fetch(const struct argloc *argloc, const char *type_text, char *buf, size_t size,
		 char *why, size_t why_size);

/* Writes a constant of the type, for a field that has no value at this site. */
void argloc_nothing(const char *type_text, char *buf, size_t size);

/* Writes the type of the value itself: "s32", "u8", "f64". */
void argloc_type(const struct argloc *argloc, char *buf, size_t size);

#endif
