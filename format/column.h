/* SPDX-License-Identifier: MIT */
/*
 * A column of numbers, coded: docs/format.md, "Number columns".
 *
 * Each value is first made relative to a base (`relative`); the difference is its residue. Up to
 * three predictors guess the residue: each guesses the last residue in the same context. The code
 * of an event says which guess is right; if none is, the residue follows as a literal.
 */
#ifndef TRAWL_FORMAT_COLUMN_H
#define TRAWL_FORMAT_COLUMN_H

#include "format/rule.h"
#include "format/table.h"

enum column_literal {
	LITERAL_BYTES,  /* all with the number of bytes that the largest needs */
	LITERAL_PLAIN,  /* bucket codes */
	LITERAL_SIGNED, /* bucket codes of zigzag numbers */
	LITERAL_DELTA,  /* bucket codes of zigzag differences to the literal before */
};

enum column_relative {
	RELATIVE_ZERO,
	RELATIVE_REF,  /* to the value of the ref column in the same event */
	RELATIVE_TIME, /* to the event's time stamp */
	RELATIVE_LAST, /* to the column's last value in the same class */
};

struct column_plan {
	uint32_t ref; /* the column for RELATIVE_REF and CONTEXT_REF; must be coded earlier */
	uint8_t relative, literal;
	uint8_t npredictors;
	uint8_t mask[TABLE_PREDICTORS];
};

/* The substreams of a chunk payload that columns are written to. */
struct column_sink {
	struct buf structure, codes, literals, bits, data;
};

/* The substreams that columns are read from. */
struct column_input {
	struct view structure, codes, literals, bits, data;
	const char *broken; /* the RULE() that the payload breaks */
};

#define RULE_SHORT(substream) \
	RULE("Chunk payload", "the substream " substream " has fewer bytes than it must")
#define RULE_STRUCTURE RULE("Structure", "the structure ends early, or a number in it is too large")

/* Notes the rule that is broken, and returns false: `return column_breaks(in, RULE(...));`. */
static inline bool column_breaks(struct column_input *in, const char *rule)
{
	in->broken = rule;
	return false;
}

/* Decodes bucket codes, whose bits are next in in->bits. Returns false for damage. */
bool column_buckets(struct column_input *in, const uint8_t *codes, size_t n, uint64_t *v);

/* Whether a plan refers to p->ref. */
bool column_uses_ref(const struct column_plan *p);

/* The last residue of each context, for each predictor. */
struct predictors {
	uint64_t slot[TABLE_PREDICTORS][1 << CONTEXT_MAX_BITS];
};

/*
 * Encodes t->value[column] by the plan. The plan may use CONTEXT_REF and RELATIVE_REF only if
 * table_can_refer() to p->ref. Returns the number of literals. If memory runs out, the sink's
 * buffers have `failed` set.
 */
uint32_t column_encode(struct table *t, uint32_t column, const struct column_plan *p,
		       struct predictors *m, struct column_sink *out);

/* Encodes a column whose values are all `value`: needs no plan. */
void column_constant(uint64_t value, struct column_sink *out);

/* Sets t->residue to the values of a column, made relative; RELATIVE_REF: to column ref. */
void column_relate(struct table *t, uint32_t column, unsigned int relative, uint32_t ref);
/*
 * Predicts t->residue in the contexts of a mask; sets hit[i] to 1 where the guess is right, else 0.
 */
void column_try(struct table *t, uint32_t ref, unsigned int mask, struct predictors *m,
		uint8_t *hit);
/* Returns how many bytes each number needs as LITERAL_BYTES, at least 1 and at most size. */
uint32_t column_literal_width(const uint64_t *v, uint32_t n, uint32_t size);
/* Converts literals in place to the numbers that bucket codes encode. */
void column_literal_numbers(uint64_t *v, uint32_t n, unsigned int literal);

/*
 * Decodes t->value[column]; columns with lower numbers must be decoded. Returns false for damage,
 * with in->broken.
 */
bool column_decode(struct table *t, uint32_t column, struct predictors *m,
		   struct column_input *in);

#endif
