/* SPDX-License-Identifier: MIT */
/* A sample of a table's events, as a table: the planner tries plans on it. */
#ifndef TRAWL_FORMAT_EXCERPT_H
#define TRAWL_FORMAT_EXCERPT_H

#include "format/table.h"

struct excerpt {
	struct table table;
	uint32_t events;       /* capacity */
	uint32_t *class_count; /* this array and the others have `events` elements */
	uint32_t *number;
	uint32_t *from;        /* of each event: its number in the table */
};

/*
 * Makes room for so many events. Returns false if memory runs out. excerpt_free() accepts a zeroed
 * one.
 */
bool excerpt_init(struct excerpt *s, uint32_t events);

/*
 * Samples s->events of the events of t, which has more: the first ones of each class, in proportion
 * to its size. Returns false if memory runs out.
 */
bool excerpt_take(struct excerpt *s, const struct table *t);
/* Copies the values of a column. */
void excerpt_column(struct excerpt *s, const struct table *t, uint32_t column);
void excerpt_free(struct excerpt *s);

#endif
