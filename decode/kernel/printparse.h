/* SPDX-License-Identifier: MIT */
/* The interface between the expression parser and printfmt.c. */
#ifndef TRAWL_DECODE_KERNEL_PRINTPARSE_H
#define TRAWL_DECODE_KERNEL_PRINTPARSE_H

#include "decode/kernel/printexpr.h"

enum { PARSE_LOCALS_MAX = 16 };

struct parser {
	struct printfmt *out;
	struct lexer lex;
	const char *why;
	unsigned int depth, nblocks;
	const char *unknown; /* the first function or constant that is unknown */
	uint32_t unknown_len;
	size_t nlocals;
	struct {
		const char *name;
		uint32_t len;
		struct node *value;
	} locals[PARSE_LOCALS_MAX];
};

/* Records why parsing failed, unless a reason is already recorded. Returns false. */
bool parse_fail(struct parser *p, const char *why);

/*
 * Parses an expression beginning with the current token. Returns NULL with p->why set on failure.
 */
struct node *parse_expression(struct parser *p);

#endif
