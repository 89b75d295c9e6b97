/* SPDX-License-Identifier: MIT */
/* The names of C types in print formats, as casts, sizeof and declarations have them. */
#ifndef TRAWL_DECODE_KERNEL_PRINTTYPE_H
#define TRAWL_DECODE_KERNEL_PRINTTYPE_H

#include "decode/kernel/printtoken.h"

struct ctype {
	uint8_t size; /* in bytes; 0: not a number of known size */
	bool is_signed;
	bool is_type; /* at least one word is the name of a type */
};

/*
 * Parses the words and stars of a type up to `)` or, in a declaration, up to the name before `=`.
 * The lexer is left at the token that ended them; *last is the last word.
 */
struct ctype ctype_parse(struct lexer *l, struct token *last, unsigned int *words);

#endif
