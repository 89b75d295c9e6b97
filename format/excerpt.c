/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "format/excerpt.h"

bool excerpt_init(struct excerpt *s, uint32_t events)
{
	s->events = events;
	s->class_count = malloc(events * sizeof(*s->class_count));
	s->number = malloc(events * sizeof(*s->number));
	s->from = malloc(events * sizeof(*s->from));
	return s->class_count && s->number && s->from;
}

bool excerpt_take(struct excerpt *s, const struct table *t)
{
	uint32_t first = 0, n = 0;

	if (!table_init(&s->table, t->layout, s->events))
		return false;
	s->table.nclasses = 0;
	for (uint32_t c = 0; c < t->nclasses && n < s->events; first += t->class_count[c++]) {
		uint32_t size = t->class_count[c];
		uint32_t share = (uint32_t)((uint64_t)size * s->events / t->n) + 1;

		share = share < size ? share : size;
		share = share < s->events - n ? share : s->events - n;
		s->class_count[s->table.nclasses++] = share;
		for (uint32_t i = first; i < first + share; i++) {
			s->number[n] = t->number ? t->number[i] : i;
			s->from[n++] = i;
		}
	}
	s->table.n = n;
	s->table.first_class = t->first_class;
	s->table.class_count = s->class_count;
	s->table.class_of = t->class_of;
	s->table.events = t->events;
	s->table.number = t->number ? s->number : NULL;
	return true;
}

void excerpt_column(struct excerpt *s, const struct table *t, uint32_t column)
{
	for (uint32_t i = 0; i < s->table.n; i++)
		s->table.value[column][i] = t->value[column][s->from[i]];
}

void excerpt_free(struct excerpt *s)
{
	table_free(&s->table);
	free(s->class_count);
	free(s->number);
	free(s->from);
}
