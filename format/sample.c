/* SPDX-License-Identifier: MIT */
#include "sample.h"

/*
 * Takes events of each class from its front: of common fields those that are among the first of
 * the chunk, of others the same share of all classes. number[at] becomes an event's number in s.
 */
static void take_classes(struct sample *s, const struct table *t, const uint8_t *taken,
			 uint64_t *number)
{
	uint32_t first = 0, n = 0;

	s->table.nclasses = 0;
	for (uint32_t c = 0; c < t->nclasses; first += t->class_count[c++]) {
		uint32_t size = t->class_count[c], before = n;
		uint32_t most = t->order ? size : (uint64_t)size * SAMPLE_EVENTS / t->n + 1;

		if (most > size)
			most = size;
		for (uint32_t i = 0; i < most && taken[first + i] && n < SAMPLE_EVENTS; i++) {
			number[first + i] = n;
			s->from[n++] = first + i;
		}
		if (n > before)
			s->class_count[s->table.nclasses++] = n - before;
	}
	s->table.n = n;
}

int sample_take(struct sample *s, struct table *t)
{
	uint64_t *number = t->spread; /* scratch, as are the codes */
	uint8_t *taken = t->codes;

	if (table_init(&s->table, t->layout, SAMPLE_EVENTS))
		return -1;
	memset(taken, !t->order, t->n);
	for (uint32_t i = 0; t->order && i < SAMPLE_EVENTS; i++)
		taken[t->order[i]] = 1;
	take_classes(s, t, taken, number);
	for (uint32_t i = 0; i < s->table.n; i++) {
		uint32_t from = s->from[i];

		s->order[i] = t->order ? (uint32_t)number[t->order[i]] : i;
		s->before[i] = t->before[from];
		s->ts[i] = t->ts[from];
		s->pid[i] = t->pid ? t->pid[from] : 0;
	}
	s->table.first_class = t->first_class;
	s->table.class_count = s->class_count;
	s->table.order = t->order ? s->order : NULL;
	s->table.before = s->before;
	s->table.ts = s->ts;
	s->table.pid = t->pid ? s->pid : NULL;
	return 0;
}

void sample_column(struct sample *s, const struct table *t, uint32_t column)
{
	for (uint32_t i = 0; i < s->table.n; i++)
		s->table.value[column][i] = t->value[column][s->from[i]];
}

void sample_free(struct sample *s)
{
	table_free(&s->table);
}
