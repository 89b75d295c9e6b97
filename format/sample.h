/* SPDX-License-Identifier: MIT */
/* Part of a table, as a table: what plans are tried on. */
#ifndef TRAWL_SAMPLE_H
#define TRAWL_SAMPLE_H

#include "table.h"

enum { SAMPLE_EVENTS = 2048 };

struct sample {
	struct table table;
	uint32_t class_count[SAMPLE_EVENTS];
	uint32_t order[SAMPLE_EVENTS], before[SAMPLE_EVENTS];
	uint64_t ts[SAMPLE_EVENTS], pid[SAMPLE_EVENTS];
	uint32_t from[SAMPLE_EVENTS]; /* which of the table's events each is, in class order */
};

/* Some SAMPLE_EVENTS events of t, which has more. -1: out of memory. */
int sample_take(struct sample *s, struct table *t);
/* Copies the values of a column. */
void sample_column(struct sample *s, const struct table *t, uint32_t column);
void sample_free(struct sample *s);

#endif
