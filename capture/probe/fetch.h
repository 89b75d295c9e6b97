/* SPDX-License-Identifier: MIT */
/*
 * The syntax of tracefs' fetch arguments (Documentation/trace/uprobetracer.rst), as far as names in
 * it must be found and replaced:
 *
 *	EXPR = +|-[u]OFF(EXPR) | %REG | $stackN | $retval | $comm | @ADDR | \IMM | NAME | @SYMBOL
 *
 * NAME and @SYMBOL are trawl's own and are replaced by something that the kernel understands.
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
	unsigned int bits;  /* of one element, or of a bit field's container: 8 .. 64 */
	unsigned int count; /* 0 if not an array */
};

/* Parses a type. False with the reason in *why, a constant. "str" means "string". */
bool fetch_type_parse(const char *text, struct fetch_type *type, const char **why);

enum fetch_inner {
	FETCH_NAME,   /* a name: argN or a parameter */
	FETCH_SYMBOL, /* @name */
	FETCH_REG,    /* %reg */
	FETCH_VAR,    /* $retval, $stackN */
	FETCH_COMM,   /* $comm, $COMM */
	FETCH_PARAMS, /* $params */
	FETCH_IMM,    /* \... */
	FETCH_ADDR,   /* @123, @+123 */
};

/*
 * An EXPR split into the dereferences and the innermost operand: expr[at, at + len) is the operand,
 * what precedes and follows it are the dereferences.
 */
struct fetch_expr {
	enum fetch_inner inner;
	size_t at, len; /* of the innermost operand in the text */
	unsigned int depth;
};

/*
 * Splits the argument's expression. Returns 0, or -1 with an *err that shows the position with
 * a caret.
 */
int fetch_parse(const struct spec *spec, const struct spec_arg *arg, struct fetch_expr *e,
		struct trawl_error *err);

/* True if the text is a name with members or elements after it (part.h). */
bool fetch_is_part(const char *text, size_t len);

/* The name of the field that records such a part: "cart.items[2].name"; malloc'd. */
char *fetch_part_field(const char *text, size_t len);

/*
 * The field's name, malloc'd: the user's, or that of the innermost operand. Unlike the kernel's
 * default it is never argN for the N-th ARG: in trawl argN is the function's or probe's N-th
 * argument.
 */
char *fetch_field_name(const struct spec_arg *arg, const struct fetch_expr *e);

#endif
