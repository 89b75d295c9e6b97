/* SPDX-License-Identifier: MIT */
/*
 * Which way of coding suits a column: found by trying on a sample of its values, and believed for
 * some chunks before it is tried again.
 */
#ifndef TRAWL_PLAN_H
#define TRAWL_PLAN_H

#include <zstd.h>

#include "column.h"

struct plan {
	struct column_plan plan;
	uint32_t events; /* that the sample had; 0: never tried */
	uint32_t chunks; /* that have used it since */
};

struct planner {
	ZSTD_CCtx *zstd;
	struct predictors *predictors;
	unsigned int most; /* predictors of a column at most */
	uint8_t *hits;     /* of each candidate */
	struct buf literals, codes, bits, out;
};

int planner_init(struct planner *p, ZSTD_CCtx *z, struct predictors *m, unsigned int most);
void planner_free(struct planner *p);

/*
 * Brings the plans of a table's columns up to date; t->value is complete, column `first` is the
 * first that is meant and columns in `skip` are constant by class. common: of common fields.
 */
void plan_columns(struct planner *p, struct table *t, struct plan *plans, uint32_t first,
		  uint32_t end, bool common);

/* What a column does that was never tried. */
struct column_plan plan_default(const struct layout_column *c, bool common, uint32_t n);

#endif
