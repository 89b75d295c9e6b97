/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "format/loops.h"
#include "format/table.h"

/* Allocates arrays from one buffer; with p NULL it only counts their bytes. */
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
	for (int i = 0; i < TABLE_PREDICTORS; i++)
		t->own_slots[i] = take(m, n, 2);
	t->ts = take(m, n, 8);
	t->pid = take(m, n, 4);
	t->before = take(m, n, 4);
	t->work = take(m, n, 8);
	t->literal = take(m, n, 8);
	t->codes = take(m, n, 1);
	for (uint32_t c = 0; c < t->layout->ncolumns + REFS_DERIVED; c++) {
		uint64_t *v = take(m, n, 8);

		if (t->value)
			t->value[c] = v;
	}
}

bool table_init(struct table *t, const struct layout *l, uint32_t n)
{
	struct pool m = { NULL, 0 };
	unsigned int bits = CONTEXT_MIN_BITS;

	if ((uint64_t)n * l->ncolumns > TABLE_MAX_NUMBERS)
		return false;
	t->layout = l;
	t->n = n;
	while (bits < CONTEXT_MAX_BITS && 1u << bits < n)
		bits++;
	t->shift = 32 - bits;
	memset(t->have_slots, 0, sizeof(t->have_slots));
	t->have_ts = t->have_pid = t->have_before = false;
	memset(t->have_derived, 0, sizeof(t->have_derived));
	t->value = NULL;
	lay_out(t, &m);
	t->value = room_for(&t->columns, (l->ncolumns + REFS_DERIVED) * sizeof(*t->value));
	if (!t->value || !room_for(&t->memory, m.used))
		return false;
	m = (struct pool){ t->memory.p, 0 };
	lay_out(t, &m);
	return true;
}

LOOPS void events_before(struct events *e)
{
	const uint16_t *class_of = e->class_of;
	uint32_t before = 0;

	for (uint32_t i = 0; i < e->count; i++) {
		e->before[i] = before * CONTEXT_SEQ_FACTOR;
		before = (class_of[i] + 1u) << 16 | before >> 16;
	}
}

void table_of(struct table *t, struct events *e, uint32_t first, uint32_t first_class,
	      uint32_t nclasses)
{
	t->first_class = first_class;
	t->nclasses = nclasses;
	t->class_count = e->class_count + first_class;
	t->class_of = NULL;
	t->events = e;
	t->number = e->number + first;
}

void table_of_all(struct table *t, struct events *e)
{
	t->first_class = 0;
	t->nclasses = 1;
	t->class_count = &t->n;
	t->class_of = e->class_of;
	t->events = e;
	t->number = NULL;
}

void table_free(struct table *t)
{
	room_free(&t->memory);
	room_free(&t->columns);
	memset(t, 0, sizeof(*t));
}

/* ---- events ------------------------------------------------------------------------------- */

const uint64_t *table_ts(struct table *t)
{
	if (!t->number)
		return t->events->ts;
	for (uint32_t i = 0; !t->have_ts && i < t->n; i++)
		t->ts[i] = t->events->ts[t->number[i]];
	t->have_ts = true;
	return t->ts;
}

static const uint32_t *table_pid(struct table *t)
{
	for (uint32_t i = 0; !t->have_pid && i < t->n; i++)
		t->pid[i] = context_fold(t->events->pid[t->number[i]]) * CONTEXT_PID_FACTOR;
	t->have_pid = true;
	return t->pid;
}

/* ---- derived numbers ---------------------------------------------------------------------- */

void events_derive(struct events *e, const struct trawl_stream *streams, uint32_t nstreams,
		   const uint32_t *class_table, uint32_t ntables, uint64_t *memory)
{
	e->streams = streams;
	e->nstreams = nstreams;
	e->class_table = class_table;
	e->ntables = ntables;
	for (int i = 0; i < REFS_DERIVED; i++) {
		e->derived[i] = memory + (size_t)e->count * i;
		e->have_derived[i] = false;
	}
	e->last = memory + (size_t)e->count * REFS_DERIVED;
}

static void following(const struct events *e, uint64_t *v)
{
	for (uint32_t s = 0; s < e->nstreams; s++) {
		uint32_t first = e->streams[s].first, n = e->streams[s].count;

		memcpy(v + first, e->pid + first + 1, (n - 1) * sizeof(*v));
		v[first + n - 1] = 0;
	}
}

LOOPS static void elapsed(const struct events *e, uint64_t *v)
{
	for (uint32_t s = 0; s < e->nstreams; s++) {
		uint32_t i = e->streams[s].first, end = i + e->streams[s].count;

		for (uint32_t k = 0; k < e->ntables; k++)
			e->last[k] = e->ts[i];
		for (; i < end; i++) {
			uint64_t *last = &e->last[e->class_table[e->class_of[i]]];

			v[i] = e->ts[i] - *last;
			*last = e->ts[i];
		}
	}
}

void table_derive(struct table *t, uint32_t ref)
{
	struct events *e = t->events;
	uint32_t which = ref - t->layout->ncolumns;

	if (ref < t->layout->ncolumns || t->have_derived[which])
		return;
	if (!e->have_derived[which])
		(which == REF_FOLLOWING ? following : elapsed)(e, e->derived[which]);
	e->have_derived[which] = true;
	for (uint32_t i = 0; i < t->n; i++)
		t->value[ref][i] = e->derived[which][t->number[i]];
	t->have_derived[which] = true;
}

static const uint32_t *table_before(struct table *t)
{
	if (!t->number)
		return t->events->before;
	for (uint32_t i = 0; !t->have_before && i < t->n; i++)
		t->before[i] = t->events->before[t->number[i]];
	t->have_before = true;
	return t->before;
}

/* ---- contexts ----------------------------------------------------------------------------- */

/* The parts of contexts; NULL: not in the mask. */
struct parts {
	const uint32_t *pid, *before;
	const uint64_t *ref;
	const uint16_t *class_of;
	unsigned int shift;
};

enum { PART_PID = 1, PART_BEFORE = 2, PART_REF = 4, PART_CLASS = 8 };

/*
 * Computes the slots of a class's events from .. end - 1. `have`: the parts that are not NULL, a
 * constant, so that no loop tests for them.
 */
static inline __attribute__((always_inline)) void make_slots(const struct parts *p,
	unsigned int have, uint32_t base, uint32_t from, uint32_t end, uint16_t *slots)
{
	for (uint32_t i = from; i < end; i++) {
		uint32_t sum = base;

		if (have & PART_PID)
			sum += p->pid[i];
		if (have & PART_BEFORE)
			sum += p->before[i];
		if (have & PART_REF)
			sum += context_fold(p->ref[i]) * CONTEXT_REF_FACTOR;
		if (have & PART_CLASS)
			sum += p->class_of[i] * CONTEXT_CLASS_FACTOR;
		slots[i] = (uint16_t)context_slot(sum, p->shift);
	}
}

#define MAKE_SLOTS(k) \
	case k: \
		make_slots(p, k, base, from, end, slots); \
		break

LOOPS static void slots_of_class(const struct parts *p, uint32_t base, uint32_t from, uint32_t end,
			   uint16_t *slots)
{
	switch ((p->pid ? PART_PID : 0) | (p->before ? PART_BEFORE : 0) | (p->ref ? PART_REF : 0) |
		(p->class_of ? PART_CLASS : 0)) {
	MAKE_SLOTS(0);
	MAKE_SLOTS(1);
	MAKE_SLOTS(2);
	MAKE_SLOTS(3);
	MAKE_SLOTS(4);
	MAKE_SLOTS(5);
	MAKE_SLOTS(6);
	MAKE_SLOTS(7);
	MAKE_SLOTS(8);
	MAKE_SLOTS(10);
	MAKE_SLOTS(12);
	MAKE_SLOTS(14);
	}
}

const uint16_t *table_slots(struct table *t, unsigned int mask, const uint64_t *ref,
			    uint16_t *memory)
{
	bool keep = !(mask & CONTEXT_REF);
	struct parts p = { .shift = t->shift };
	uint16_t *slots = memory;
	uint32_t from = 0;

	mask &= ~CONTEXT_OWN;
	if (keep) {
		slots = t->slots[mask];
		if (t->have_slots[mask])
			return slots;
		t->have_slots[mask] = true;
	}
	/* the table of common fields has no pid and is not in class order */
	p.pid = mask & CONTEXT_PID && t->number && t->events->pid ? table_pid(t) : NULL;
	p.before = mask & CONTEXT_SEQ ? table_before(t) : NULL;
	p.ref = mask & CONTEXT_REF ? ref : NULL;
	p.class_of = mask & CONTEXT_CLASS ? t->class_of : NULL;
	for (uint32_t c = 0; c < t->nclasses; c++) {
		uint32_t number = mask & CONTEXT_CLASS ? t->first_class + c : 0;
		uint32_t end = from + t->class_count[c];

		slots_of_class(&p, number * CONTEXT_CLASS_FACTOR, from, end, slots);
		from = end;
	}
	return slots;
}
