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

	for (int i = 0; i < CONTEXT_PER_EVENT; i++)
		t->slots[i] = take(m, n, 2);
	for (int i = 0; i < TABLE_PREDICTORS; i++) {
		t->own_slots[i] = take(m, n, 2);
		t->sums[i] = take(m, n, 4);
	}
	t->spread = take(m, n, 8);
	t->work = take(m, n, 8);
	t->literal = take(m, n, 8);
	t->codes = take(m, n, 1);
	for (uint32_t c = 0; c < t->layout->ncolumns; c++) {
		uint64_t *v = take(m, n, 8);

		if (t->value)
			t->value[c] = v;
	}
}

int table_init(struct table *t, const struct layout *l, uint32_t n)
{
	struct pool m = { NULL, 0 };
	unsigned int bits = CONTEXT_MIN_BITS;

	if ((uint64_t)n * l->ncolumns > TABLE_MAX_NUMBERS)
		return -1;
	t->layout = l;
	t->n = n;
	while (bits < CONTEXT_MAX_BITS && 1u << bits < n)
		bits++;
	t->shift = 32 - bits;
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

void events_before(struct events *e)
{
	const uint16_t *class_of = e->class_of;

	for (uint32_t i = 0; i < e->count; i++) {
		uint32_t k = e->number[i];
		uint32_t one = k > 0 ? class_of[k - 1] + 1u : 0;

		e->before[i] = one << 16 | (k > 1 ? class_of[k - 2] + 1u : 0);
	}
}

void table_of(struct table *t, const struct events *e, uint32_t first, uint32_t first_class,
	      uint32_t nclasses)
{
	t->first_class = first_class;
	t->nclasses = nclasses;
	t->class_count = e->class_count + first_class;
	t->order = NULL;
	t->ts = e->ts + first;
	t->before = e->before + first;
	t->pid = e->pid ? e->pid + first : NULL;
}

void table_of_all(struct table *t, const struct events *e)
{
	table_of(t, e, 0, 0, e->nclasses);
	t->order = e->nclasses > 1 ? e->position : NULL;
	t->pid = NULL;
}

void table_free(struct table *t)
{
	free(t->memory.p);
	free(t->columns.p);
	memset(t, 0, sizeof(*t));
}

/* The events of one class; mask is a constant where this is called. */
static inline __attribute__((always_inline)) void sum_class(const struct table *t,
	unsigned int mask, const uint64_t *ref, uint32_t base, uint32_t from, uint32_t end,
	uint32_t *sums)
{
	for (uint32_t i = from; i < end; i++) {
		uint32_t sum = base;

		if (mask & CONTEXT_PID)
			sum += context_fold(t->pid[i]) * CONTEXT_PID_FACTOR;
		if (mask & CONTEXT_SEQ)
			sum += t->before[i] * CONTEXT_SEQ_FACTOR;
		if (mask & CONTEXT_REF)
			sum += context_fold(ref[i]) * CONTEXT_REF_FACTOR;
		sums[i] = sum;
	}
}

#define SUM_CLASS(mask) \
	case mask: \
		sum_class(t, mask, ref, base, from, end, sums); \
		break

void table_sums(const struct table *t, unsigned int mask, const uint64_t *ref, uint32_t *sums)
{
	unsigned int parts = mask & (CONTEXT_SEQ | CONTEXT_REF | (t->pid ? CONTEXT_PID : 0));
	uint32_t from = 0, end;

	for (uint32_t c = 0; c < t->nclasses; c++, from = end) {
		uint32_t base = mask & CONTEXT_CLASS ? (t->first_class + c) * CONTEXT_CLASS_FACTOR :
						       0;

		end = from + t->class_count[c];
		switch (parts) {
		SUM_CLASS(0);
		SUM_CLASS(CONTEXT_PID);
		SUM_CLASS(CONTEXT_SEQ);
		SUM_CLASS(CONTEXT_PID | CONTEXT_SEQ);
		SUM_CLASS(CONTEXT_REF);
		SUM_CLASS(CONTEXT_PID | CONTEXT_REF);
		SUM_CLASS(CONTEXT_SEQ | CONTEXT_REF);
		SUM_CLASS(CONTEXT_PID | CONTEXT_SEQ | CONTEXT_REF);
		}
	}
}

void table_sum_slots(const struct table *t, const uint32_t *sums, uint16_t *slots)
{
	for (uint32_t i = 0; i < t->n; i++)
		slots[i] = (uint16_t)context_slot(sums[i], t->shift);
}

const uint16_t *table_slots(struct table *t, unsigned int mask, uint32_t *sums)
{
	if (!t->have_slots[mask]) {
		table_sums(t, mask, NULL, sums);
		table_sum_slots(t, sums, t->slots[mask]);
		t->have_slots[mask] = true;
	}
	return t->slots[mask];
}
