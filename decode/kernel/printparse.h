/* SPDX-License-Identifier: MIT */
/* The interface between the expression parser and printfmt.c. */
#ifndef TRAWL_DECODE_KERNEL_PRINTPARSE_H
#define TRAWL_DECODE_KERNEL_PRINTPARSE_H

#include "decode/kernel/printexpr.h"

enum { PARSE_LOCALS_MAX = 16 };

enum token_type { TOKEN_END, TOKEN_NUMBER, TOKEN_TEXT, TOKEN_NAME, TOKEN_OP, TOKEN_BAD };

struct token {
	enum token_type type;
	int op;            /* OP: a character, or OP_* for two characters */
	const char *text;  /* NAME, TEXT */
	uint32_t len;
	uint64_t number;
	uint8_t size;      /* of a NUMBER */
	bool is_signed;
};

struct parser {
	struct printfmt *out;
	char *at, *end;
	/* where the next string literal is stored, and the end of that buffer */
	char *strings, *strings_end;
	struct token token;
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

/* Advances to the next token. */
void parse_next(struct parser *p);
bool parse_is_op(const struct parser *p, int op);

/* Records why parsing failed, unless a reason is already recorded. Returns false. */
bool parse_fail(struct parser *p, const char *why);

/*
 * Parses an expression beginning with the current token. Returns NULL with p->why set on failure.
 */
struct node *parse_expression(struct parser *p);

#endif
