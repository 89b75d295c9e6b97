/* SPDX-License-Identifier: MIT */
/* Part of a table, as a table: what plans are tried on. */
#ifndef TRAWL_FORMAT_EXCERPT_H
#define TRAWL_FORMAT_EXCERPT_H

#include "format/table.h"

enum { EXCERPT_EVENTS = 2048 };

struct excerpt {
	struct table table;
	uint32_t class_count[EXCERPT_EVENTS];
	uint32_t number[EXCERPT_EVENTS];
	uint32_t from[EXCERPT_EVENTS]; /* which of the table's events each is */
};

/*
 * Takes some EXCERPT_EVENTS events of t, which has more: of each class the same share; of the
 * common fields the first. -1: out of memory.
 */
int excerpt_take(struct excerpt *s, const struct table *t);
/* Copies the values of a column. */
void excerpt_column(struct excerpt *s, const struct table *t, uint32_t column);
void excerpt_free(struct excerpt *s);

#endif
