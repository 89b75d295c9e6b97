/* SPDX-License-Identifier: MIT */
/*
 * Chooses how a column is coded: tries ways on a sample of its values, and keeps the best for some
 * chunks before it tries again.
 */
#ifndef TRAWL_FORMAT_PLAN_H
#define TRAWL_FORMAT_PLAN_H

#include <zstd.h>

#include "format/column.h"
#include "format/excerpt.h"

struct plan {
	struct column_plan plan;
	uint32_t events;   /* that the sample had; 0: never tried */
	uint32_t chunks;   /* that have used it since */
	uint32_t literals; /* of 1024 values, in the chunk that it was chosen for */
	bool stale;        /* there were many more since */
};

struct effort;

struct planner {
	ZSTD_CCtx *zstd;
	struct predictors *predictors;
	const struct effort *effort;
	uint8_t *hits;     /* of each candidate */
	uint64_t *scratch;
	int64_t budget;    /* values that may still be tried on */
	struct excerpt excerpt;
	bool excerpted;     /* of the table whose columns are planned at present */
	struct buf literals, codes, bits, out;
};

/* level: zstd's, of what is planned: the higher, the more is tried. */
int planner_init(struct planner *p, ZSTD_CCtx *z, struct predictors *m, int level);
void planner_free(struct planner *p);

/* The columns of another table are planned from now on. */
void plan_table(struct planner *p);
/* Whether plans may refer to any column of numbers, not only to the one that the layout names. */
bool plan_refers_to_any(const struct planner *p);
/* Brings a column's plan up to date. common: the table is that of the common fields. */
void plan_column(struct planner *p, struct table *t, struct plan *plan, uint32_t column,
		  bool common);

/* A new chunk of so many events: some more trials are paid for. */
void plan_chunk(struct planner *p, uint32_t events);
/* Tells how a plan did: so many of n values were literals. */
void plan_result(struct plan *p, uint32_t literals, uint32_t n);

/* The plan of a column on which nothing was tried yet. */
struct column_plan plan_default(const struct layout_column *c, bool common, uint32_t n);

#endif
