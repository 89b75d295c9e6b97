/* SPDX-License-Identifier: MIT */
/* Where a value is when a probe is hit, in words that tracefs understands. */
#ifndef TRAWL_CAPTURE_PROBE_ARGLOC_H
#define TRAWL_CAPTURE_PROBE_ARGLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/probe/elf.h"
#include "capture/probe/fetch.h"
#include "capture/probe/operand.h"

enum place_form {
	ARGLOC_EXPR, /* expr: "%di", "-4(%bp)", "+12(%ip)" */
	ARGLOC_IMM,  /* a constant */
	ARGLOC_SIB,  /* to be computed from base, index and a window */
	ARGLOC_NONE, /* why */
};

struct argloc {
	enum place_form form;
	unsigned int bits;  /* of the value: 8 .. 64; 0 if not known (a bare register) */
	unsigned int shift; /* where it starts in the register: 8 for %ah */
	bool is_signed, is_float;
	char expr[64];      /* SIB: the base */
	char index[32];     /* SIB */
	char window[64];    /* SIB: what to put before ":x64[N]" */
	int scale;
	int64_t disp;
	uint64_t imm;       /* sign-extended to 64 bits if is_signed, else zero-extended */
	char why[200];
};

/* Where an operand of a probe at vaddr pc is. f tells addresses of symbols. */
void argloc_of_operand(const struct operand *op, struct elf_file *f, uint64_t pc,
		      struct argloc *place);

/* Where the variable `symbol` of f is, for a probe at pc. */
void argloc_of_symbol(struct elf_file *f, const char *symbol, uint64_t pc, struct argloc *place);

/*
 * "EXPR:TYPE" that records what is at place as a field of `type`, whose text is type_text. Where
 * type is a string or an array, the value is taken as a pointer to it. On failure false with why.
 */
bool argloc_fetch(const struct argloc *place, const char *type_text, char *buf, size_t size,
		 char *why, size_t why_size);

/* The same for a field that has no value at this site. */
void argloc_nothing(const char *type_text, char *buf, size_t size);

/* "s32", "u8", "f64": the type of the value itself. */
void place_type(const struct argloc *place, char *buf, size_t size);

#endif
