/* SPDX-License-Identifier: MIT */
/* The tokens of print formats, which are C. */
#ifndef TRAWL_DECODE_KERNEL_PRINTTOKEN_H
#define TRAWL_DECODE_KERNEL_PRINTTOKEN_H

#include <stdbool.h>
#include <stdint.h>

enum token_type { TOKEN_END, TOKEN_NUMBER, TOKEN_TEXT, TOKEN_NAME, TOKEN_OP, TOKEN_BAD };

/* Operators of two characters. An operator of one character is represented by that character. */
enum { OP_SHL = 256, OP_SHR, OP_LE, OP_GE, OP_EQ, OP_NE, OP_AND, OP_OR };

struct token {
	enum token_type type;
	int op;            /* OP: a character, or OP_* for two characters */
	const char *text;  /* NAME, TEXT */
	uint32_t len;
	uint64_t number;
	uint8_t size;      /* of a NUMBER */
	bool is_signed;
};

struct lexer {
	char *at, *end;
	/*
	 * Where the next string literal is stored, and the end of that buffer. It has twice the
	 * size of all literals, because one may be read a second time after look-ahead.
	 */
	char *strings, *strings_end;
	struct token token; /* the current one */
};

/* Advances to the next token. */
void lexer_next(struct lexer *l);
/* Whether the current token is this operator. */
bool lexer_is_op(const struct lexer *l, int op);

/* Goes back to where the lexer was. Literals that were read since then keep their room. */
void lexer_go_back(struct lexer *l, const struct lexer *before);

bool token_is_name(const struct token *t, const char *name);

#endif
