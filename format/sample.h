/* SPDX-License-Identifier: MIT */
/* Part of a table, as a table: what plans are tried on. */
#ifndef TRAWL_SAMPLE_H
#define TRAWL_SAMPLE_H

#include "table.h"

enum { SAMPLE_EVENTS = 2048 };

struct sample {
	struct table table;
	uint32_t class_count[SAMPLE_EVENTS];
	uint32_t number[SAMPLE_EVENTS];
	uint32_t from[SAMPLE_EVENTS]; /* which of the table's events each is */
};

/*
 * Takes some SAMPLE_EVENTS events of t, which has more: of each class the same share; of the common
 * fields the first. -1: out of memory.
 */
int sample_take(struct sample *s, const struct table *t);
/* Copies the values of a column. */
void sample_column(struct sample *s, const struct table *t, uint32_t column);
void sample_free(struct sample *s);

#endif
