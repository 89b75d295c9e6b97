/* SPDX-License-Identifier: MIT */
/*
 * Chooses how a column is coded: tries encodings on a sample of its values, and uses the best one
 * for some chunks before it tries again.
 */
#ifndef TRAWL_FORMAT_PLAN_H
#define TRAWL_FORMAT_PLAN_H

#include <zstd.h>

#include "format/column.h"
#include "format/excerpt.h"

struct plan {
	struct column_plan plan;
	uint32_t events;   /* size of the sample; 0: nothing was tried yet */
	uint32_t chunks;   /* number of chunks that have used the plan */
	uint32_t literals; /* per 1024 values, in the chunk that it was chosen for */
	bool stale;        /* a later chunk had many more literals */
};

struct effort;

struct planner {
	ZSTD_CCtx *zstd;
	struct predictors *predictors;
	const struct effort *effort;
	uint8_t *hits;     /* of each candidate: where its guess is right */
	uint64_t *scratch;
	int64_t budget;    /* number of values that trials may still process */
	struct excerpt excerpt;
	bool excerpted;     /* `excerpt` is a sample of the current table */
	struct buf literals, codes, bits, out;
};

/* level: zstd's; at higher levels more is tried. Returns false if memory runs out. */
bool planner_init(struct planner *p, ZSTD_CCtx *z, struct predictors *m, int level);
void planner_free(struct planner *p);

/* Call before the columns of another table are planned. */
void plan_table(struct planner *p);
/* Whether a plan may refer to any number column, not only to the one that the layout names. */
bool plan_refers_to_any(const struct planner *p);
/* Brings a column's plan up to date. common: the table is that of the common fields. */
void plan_column(struct planner *p, struct table *t, struct plan *plan, uint32_t column,
		  bool common);

/* Call for each new chunk of so many events: increases the budget for trials. */
void plan_chunk(struct planner *p, uint32_t events);
/* Call after a column was coded: so many of its n values were literals. */
void plan_result(struct plan *p, uint32_t literals, uint32_t n);

#endif
