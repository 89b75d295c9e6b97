/* SPDX-License-Identifier: MIT */
/* The evaluation of a print format's expressions, as the conversions (printconv.c) use it. */
#ifndef TRAWL_DECODE_KERNEL_PRINTEVAL_H
#define TRAWL_DECODE_KERNEL_PRINTEVAL_H

#include "decode/kernel/printexpr.h"
#include "decode/kernel/symbols.h"

enum result_type { RESULT_NUMBER, RESULT_BYTES, RESULT_TEXT };

/*
 * A number of 4 or 8 bytes as C's promotions make it; bytes of the record (a field that is an
 * array or text); or a text: one of the format's, or made by a helper and lying in scratch.
 */
struct result {
	enum result_type type;
	uint64_t number;
	uint8_t size;
	bool is_signed;
	bool unknown;         /* NUMBER: nothing tells which */
	const uint8_t *bytes; /* BYTES, TEXT of the format */
	size_t len;
	size_t scratch;       /* TEXT without bytes: where it is in the scratch buffer */
	const struct trawl_field *field;
};

struct eval {
	struct printfmt *f;
	const struct symbols *symbols;
	const uint8_t *record;
	size_t len;
	unsigned int steps, depth; /* so far: both are bounded */
};

struct result eval_node(struct eval *e, const struct node *n);
/* The same where only a number will do; of bytes and texts whether there are any. */
uint64_t eval_number(struct eval *e, const struct node *n);
uint64_t result_number(const struct result *r);

/* A value of this size extended to 64 bits; of size 0 as it is. */
static inline uint64_t extend(uint64_t v, size_t size, bool is_signed)
{
	unsigned int shift = 64 - 8 * (unsigned int)size;

	if (!size || size >= 8)
		return v;
	return is_signed ? (uint64_t)((int64_t)(v << shift) >> shift) : v << shift >> shift;
}

/* The text of a result. o may be the scratch buffer itself. */
void eval_append(struct eval *e, const struct result *r, struct out *o);
/* A symbol, or the number in hex. */
void eval_address(struct eval *e, uint64_t addr, bool with_offset, struct out *o);

/* Is this field's value a number? If not it is bytes. */
bool field_is_number(const struct trawl_field *f);
bool field_is_signed(const struct trawl_field *f);

/* Once, after the parser: what does not depend on the record is calculated. */
void eval_fold(struct printfmt *f);

#endif
