/* SPDX-License-Identifier: MIT */
/* Part of a table, as a table: what plans are tried on. */
#ifndef TRAWL_FORMAT_EXCERPT_H
#define TRAWL_FORMAT_EXCERPT_H

#include "format/table.h"

struct excerpt {
	struct table table;
	uint32_t events;       /* that it may have */
	uint32_t *class_count; /* and other arrays of so many */
	uint32_t *number;
	uint32_t *from;        /* which of the table's events each is */
};

/* Room for so many events; -1 when there is none. excerpt_free() takes a zeroed one, too. */
int excerpt_init(struct excerpt *s, uint32_t events);

/*
 * Takes s->events of the events of t, which has more: the first ones of each class, in proportion
 * to its size. -1: out of memory.
 */
int excerpt_take(struct excerpt *s, const struct table *t);
/* Copies the values of a column. */
void excerpt_column(struct excerpt *s, const struct table *t, uint32_t column);
void excerpt_free(struct excerpt *s);

#endif
