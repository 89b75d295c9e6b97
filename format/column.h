/* SPDX-License-Identifier: MIT */
/*
 * A column of numbers, coded: docs/format.md, "Number columns".
 *
 * Each value is first told relative to something (its column's `relative`), then guessed by up to
 * three predictors, each the last value seen in the same context. The code of an event says which
 * guess was right; when none was, the value follows as a literal.
 */
#ifndef TRAWL_FORMAT_COLUMN_H
#define TRAWL_FORMAT_COLUMN_H

#include "format/table.h"

enum column_literal {
	LITERAL_BYTES,  /* as many bytes as the widest needs */
	LITERAL_PLAIN,  /* bucket codes */
	LITERAL_SIGNED, /* bucket codes of zigzag numbers */
	LITERAL_DELTA,  /* likewise of the difference to the literal before */
};

enum column_relative {
	RELATIVE_ZERO,
	RELATIVE_REF,  /* to the value of the ref column in the same event */
	RELATIVE_TIME, /* to the event's time stamp */
	RELATIVE_LAST, /* to the column's last value in the same class */
};

struct column_plan {
	uint32_t ref; /* the column that it may refer to, if that is before it */
	uint8_t relative, literal;
	uint8_t npredictors;
	uint8_t mask[TABLE_PREDICTORS];
};

/* The parts of a chunk payload that columns are written to ... */
struct column_sink {
	struct buf structure, codes, literals, bits, data;
};

/* ... and read from. */
struct column_input {
	struct view structure, codes, literals, bits, data;
};

/* Whether a plan refers to p->ref. */
bool column_uses_ref(const struct column_plan *p);

/* Memory of the predictors. */
struct predictors {
	uint64_t slot[TABLE_PREDICTORS][1 << CONTEXT_MAX_BITS];
};

/*
 * Encodes t->value[column] by the plan; constant columns need none. The plan's masks may have REF
 * and its relative may be REF only if the layout names a ref column. Returns the number of
 * literals. Memory that runs out shows in the sink's buffers.
 */
uint32_t column_encode(struct table *t, uint32_t column, const struct column_plan *p,
		       struct predictors *m, struct column_sink *out);

/* What column_encode() does for a column whose values are all this one. */
void column_constant(uint64_t value, struct column_sink *out);

/* t->residue: the values made relative, RELATIVE_REF to column ref. */
void column_relate(struct table *t, uint32_t column, unsigned int relative, uint32_t ref);
/* Predicts t->residue under a mask; hit[i] is 1 where the guess is right. For choosing plans. */
void column_try(struct table *t, uint32_t ref, unsigned int mask, struct predictors *m,
		uint8_t *hit);
/* Bytes that hold all numbers of a column of `size` bytes as signed ones, and at least one. */
uint32_t column_literal_width(const uint64_t *v, uint32_t n, uint32_t size);
/* The numbers that bucket codes stand for, in place. */
void column_literal_numbers(uint64_t *v, uint32_t n, unsigned int literal);

/* Decodes t->value[column]; all columns with lower numbers are there. False: damaged. */
bool column_decode(struct table *t, uint32_t column, struct predictors *m,
		   struct column_input *in);

#endif
