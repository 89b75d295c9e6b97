/* SPDX-License-Identifier: MIT */
/*
 * tracefs' FETCHARG language, as far as it must be understood to put names into it.
 *
 *	EXPR = +|-[u]OFF(EXPR) | %REG | $stackN | $retval | $comm | @ADDR | \IMM | NAME | @SYMBOL
 *
 * The last two are not the kernel's; they stand for something that it understands.
 */
#ifndef TRAWL_CAPTURE_PROBE_FETCH_H
#define TRAWL_CAPTURE_PROBE_FETCH_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/cli/spec.h"

/* The kernel's types: "u8" .. "x64", "char", "string", "ustring", "b4@2/8"; "[N]" after them. */
struct fetch_type {
	bool is_string;
	bool is_bitfield;
	char sign;          /* 'u', 's', 'x', 'c' (char); 0 for strings */
	unsigned int bits;  /* of one element: 8 .. 64; of a bitfield's container */
	unsigned int count; /* 0 if not an array */
};

/* Fills *type; on failure *why says what is wrong. "str" is taken for "string". */
bool fetch_type_parse(const char *text, struct fetch_type *type, const char **why);

enum fetch_inner {
	FETCH_NAME,   /* a name: argN or a parameter */
	FETCH_SYMBOL, /* @name */
	FETCH_REG,    /* %reg: a number by itself */
	FETCH_VAR,    /* $retval, $stackN */
	FETCH_COMM,   /* $comm, $COMM */
	FETCH_PARAMS, /* $params */
	FETCH_IMM,    /* \... */
	FETCH_ADDR,   /* @123, @+123 */
};

/* An EXPR taken apart: expr[0, at) and expr[at + len, end) are the dereferences around inner. */
struct fetch_expr {
	enum fetch_inner inner;
	size_t at, len; /* of the innermost operand in the text */
	unsigned int depth;
};

/* Takes the argument's expression apart; complains with a caret. */
int fetch_parse(const struct spec *spec, const struct spec_arg *arg, struct fetch_expr *e,
		struct trawl_error *err);

/*
 * The field's name, malloc'd: the user's, or that of the innermost operand. Never argN for the N-th
 * ARG, as the kernel has it: here argN is the N-th argument.
 */
char *fetch_field_name(const struct spec_arg *arg, const struct fetch_expr *e);

#endif
