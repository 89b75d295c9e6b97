/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "table.h"

/* Hands out arrays of the table's memory; on the first round only counts them. */
struct pool {
	uint8_t *p;
	size_t used;
};

static void *take(struct pool *m, size_t n, size_t size)
{
	void *p = m->p ? m->p + m->used : NULL;

	m->used += (n * size + 63) & ~(size_t)63;
	return p;
}

static void lay_out(struct table *t, struct pool *m)
{
	size_t n = (size_t)t->n + 8;

	t->event = take(m, n, 4);
	t->sorted = take(m, n, 4);
	t->class_of = take(m, n, 2);
	t->before = take(m, n, 4);
	t->pid = take(m, n, 8);
	for (int i = 0; i < CONTEXT_PER_EVENT; i++)
		t->slots[i] = take(m, n, 2);
	for (int i = 0; i < TABLE_PREDICTORS; i++) {
		t->own_slots[i] = take(m, n, 2);
		t->base[i] = take(m, n, 8);
	}
	t->ts = take(m, n, 8);
	t->work = take(m, n, 8);
	t->literal = take(m, n, 8);
	t->codes = take(m, n, 1);
	t->last = take(m, t->nclasses, 8);
	for (uint32_t c = 0; c < t->layout->ncolumns; c++) {
		uint64_t *v = take(m, n, 8);

		if (t->value)
			t->value[c] = v;
	}
}

int table_init(struct table *t, const struct layout *l, uint32_t n, uint32_t first_class,
	       uint32_t nclasses)
{
	struct pool m = { NULL, 0 };
	unsigned int bits = CONTEXT_MIN_BITS;

	if ((uint64_t)n * l->ncolumns > TABLE_MAX_NUMBERS)
		return -1;
	t->layout = l;
	t->n = n;
	t->first_class = first_class;
	t->nclasses = nclasses;
	while (bits < CONTEXT_MAX_BITS && 1u << bits < n)
		bits++;
	t->shift = 64 - bits;
	memset(t->have_slots, 0, sizeof(t->have_slots));
	t->value = NULL;
	lay_out(t, &m);
	t->value = room_for(&t->columns, (l->ncolumns + 1) * sizeof(*t->value));
	if (!t->value || !room_for(&t->memory, m.used))
		return -1;
	m = (struct pool){ t->memory.p, 0 };
	lay_out(t, &m);
	return 0;
}

static inline uint32_t before(const uint16_t *class_of, uint32_t k)
{
	uint32_t sum = k > 0 ? (uint32_t)(class_of[k - 1] + 1) << 16 : 0;

	return k > 1 ? sum + class_of[k - 2] + 1 : sum;
}

void table_contexts(struct table *t, const struct events *e, uint32_t first)
{
	uint32_t *sorted = (uint32_t *)t->sorted;
	uint16_t *class_of = (uint16_t *)t->class_of;
	uint64_t *ts = (uint64_t *)t->ts;

	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t k = t->event[i];

		sorted[i] = e->position[k] - first;
		class_of[i] = (uint16_t)(e->class_of[k] - t->first_class);
		ts[i] = e->ts[k];
		t->before[i] = before(e->class_of, k);
	}
	t->has_pid = e->pid;
	for (uint32_t i = 0; e->pid && i < t->n; i++)
		t->pid[i] = e->pid[t->event[i]];
}

void table_of_all(struct table *t, const struct events *e)
{
	for (uint32_t i = 0; i < t->n; i++) {
		t->event[i] = i;
		t->before[i] = before(e->class_of, i);
	}
	t->sorted = e->position;
	t->class_of = e->class_of;
	t->ts = e->ts;
	t->has_pid = false;
}

void table_free(struct table *t)
{
	free(t->memory.p);
	free(t->columns.p);
	memset(t, 0, sizeof(*t));
}

const uint16_t *table_slots(struct table *t, unsigned int mask)
{
	uint16_t *slots = t->slots[mask];

	if (t->have_slots[mask])
		return slots;
	for (uint32_t i = 0; i < t->n; i++)
		slots[i] = (uint16_t)context_slot(table_sum(t, mask, NULL, i), t->shift);
	t->have_slots[mask] = true;
	return slots;
}
