/* SPDX-License-Identifier: MIT */
/* Evaluates the expressions of a print format, for the conversions in printconv.c. */
#ifndef TRAWL_DECODE_KERNEL_PRINTEVAL_H
#define TRAWL_DECODE_KERNEL_PRINTEVAL_H

#include "decode/kernel/printexpr.h"
#include "decode/kernel/symbols.h"

enum result_type { RESULT_NUMBER, RESULT_BYTES, RESULT_TEXT };

/*
 * The value of an expression: a number of 4 or 8 bytes after C's promotions; bytes of the record (a
 * field that is an array or text); or a text, which is a literal of the format or was made by a
 * helper in the scratch buffer.
 */
struct result {
	enum result_type type;
	uint64_t number;
	uint8_t size;
	bool is_signed;
	bool unknown;         /* NUMBER: the value is unknown */
	const uint8_t *bytes; /* BYTES, and TEXT that is a literal */
	size_t len;
	size_t scratch;       /* TEXT with bytes == NULL: offset in the scratch buffer */
	const struct trawl_field *field;
};

struct eval {
	struct printfmt *f;
	const struct symbols *symbols;
	const uint8_t *record;
	size_t len;
	unsigned int steps, depth; /* counters for the limits on evaluation */
};

struct result eval_node(struct eval *e, const struct node *n);
/* Evaluate to a number; bytes and texts yield whether they are non-empty. */
uint64_t eval_number(struct eval *e, const struct node *n);
uint64_t result_number(const struct result *r);

/* Extends a value of `size` bytes to 64 bits; with size 0 it is unchanged. */
static inline uint64_t extend(uint64_t v, size_t size, bool is_signed)
{
	unsigned int shift = 64 - 8 * (unsigned int)size;

	if (!size || size >= 8)
		return v;
	return is_signed ? (uint64_t)((int64_t)(v << shift) >> shift) : v << shift >> shift;
}

/* Appends the text of a result. o may be the scratch buffer itself. */
void eval_append(struct eval *e, const struct result *r, struct out *o);
/* Appends the symbol at addr, or the address in hex if there is none. */
void eval_address(struct eval *e, uint64_t addr, bool with_offset, struct out *o);

/* Whether the field's value is a number; otherwise it is bytes. */
bool field_is_number(const struct trawl_field *f);
bool field_is_signed(const struct trawl_field *f);

/* Constant folding; call once after parsing. */
void eval_fold(struct printfmt *f);

#endif
