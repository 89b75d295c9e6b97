/* SPDX-License-Identifier: MIT */
/* The parts of an encoder: layouts, classes, contexts, excerpts, string tables, memory. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "format/memory.h"
#include "format/arena.h"
#include "format/grouping.h"
#include "format/stringtable.h"
#include "format/excerpt.h"

/* ---- layouts ------------------------------------------------------------------------------ */

static const struct trawl_field mixed[] = {
	{ "text", "", "", TRAWL_TEXT, TRAWL_FIXED, 0, 0, 1, 16 },
	{ "pid", "", "", TRAWL_PID, TRAWL_FIXED, 0, 16, 4, 1 },
	{ "pair", "", "", TRAWL_INT, TRAWL_FIXED, TRAWL_FIELD_KEY, 20, 2, 2 },
	{ "loc", "", "", TRAWL_TEXT, TRAWL_DATA_LOC, 0, 24, 1, 0 },
	{ "nothing", "", "", TRAWL_UINT, TRAWL_FIXED, 0, 28, 4, 0 },
	{ "beyond", "", "", TRAWL_UINT, TRAWL_FIXED, 0, 28, 8, 1 },
	{ "long", "", "", TRAWL_UINT, TRAWL_FIXED, 0, 0, 1, 17 },
	{ "rel", "", "", TRAWL_BYTES, TRAWL_REL_LOC, 0, 28, 1, 0 },
};

Test(parts, layout_has_numbers_first)
{
	static const struct { uint16_t field; bool string; uint32_t offset, size; } want[] = {
		{ 1, false, 16, 4 }, { 2, false, 20, 2 }, { 2, false, 22, 2 },
		{ 0, true, 0, 16 }, { 3, true, 24, 0 }, { 6, true, 0, 17 }, { 7, true, 28, 0 },
	};
	struct layout l;

	cr_assert(layout_init(&l, mixed, 8, 32));
	cr_assert_eq(l.nnumbers, 3);
	cr_assert_eq(l.dynamic, 2);
	cr_assert_eq(l.ncolumns, ARRAY_SIZE(want));
	for (uint32_t i = 0; i < l.ncolumns; i++) {
		cr_assert_eq(l.columns[i].field, want[i].field, "column %u", i);
		cr_assert_eq(l.columns[i].string, want[i].string, "column %u", i);
		cr_assert_eq(l.columns[i].offset, want[i].offset, "column %u", i);
		cr_assert_eq(l.columns[i].size, want[i].size, "column %u", i);
	}
	cr_assert(!l.columns[1].key, "an array is no key");
	cr_assert_eq(l.columns[1].stride, 4);
	cr_assert_eq(l.columns[2].column_offset, 2);
	cr_assert_eq(l.columns[3].ref, 0, "the name goes with the pid");
	layout_done(&l);
}

Test(parts, dynamic_bytes_are_found_or_refused)
{
	uint8_t record[40] = { 0 };
	struct layout l;
	uint32_t from;

	cr_assert(layout_init(&l, mixed, 8, 32));
	put32(record + 24, 3 << 16 | 37);
	put32(record + 28, 5 << 16 | 0);
	cr_assert_eq(layout_dynamic(&l.columns[4], record, 40, &from), 3);
	cr_assert_eq(from, 37);
	cr_assert_eq(layout_dynamic(&l.columns[4], record, 39, &from), UINT32_MAX);
	cr_assert_eq(layout_dynamic(&l.columns[6], record, 40, &from), 5);
	cr_assert_eq(from, 32);
	put32(record + 24, 0xffffffff);
	cr_assert_eq(layout_dynamic(&l.columns[4], record, 40, &from), UINT32_MAX);
	put32(record + 24, 0x0000ffff);
	cr_assert_eq(layout_dynamic(&l.columns[4], record, 40, &from), 0, "no bytes, wherever");
	layout_done(&l);
}

/* ---- order -------------------------------------------------------------------------------- */

enum { EVENTS = 5000, EXCERPT = 2048 };

struct load {
	struct trawl_event_type types[2];
	struct grouping_type at[2], *list[2];
	struct batch_event events[EVENTS];
	uint8_t bytes[EVENTS * 8];
	struct batch batch;
	struct grouping order;
};

static const struct trawl_field keyed[] = {
	{ "id", "", "", TRAWL_UINT, TRAWL_FIXED, 0, 0, 4, 1 },
	{ "value", "", "", TRAWL_UINT, TRAWL_FIXED, 0, 4, 4, 1 },
};

/* Makes events of two types on three CPUs; `ids` is the number of ids of type 0. */
static struct load *load_new(uint32_t ids, uint32_t count)
{
	struct load *l = calloc(1, sizeof(*l));
	uint32_t state = 1;

	cr_assert(l);
	for (int i = 0; i < 2; i++) {
		l->types[i] = (struct trawl_event_type){ .size = 8, .nfields = 2,
							 .fields = keyed };
		cr_assert(grouping_type_init(&l->at[i], &l->types[i]));
		l->list[i] = &l->at[i];
	}
	l->batch = (struct batch){ .events = l->events, .count = count, .bytes = l->bytes };
	for (uint32_t i = 0; i < count; i++) {
		state = state * 1664525 + 1013904223;
		l->events[i] = (struct batch_event){ .ts = 1000 + i, .type = state >> 16 & 1,
						     .cpu = 7 * (state >> 20) % 3,
						     .offset = i * 8, .len = 8 };
		put32(l->bytes + i * 8, (state >> 8) % ids);
		put32(l->bytes + i * 8 + 4, i);
	}
	cr_assert(grouping_make(&l->order, &l->batch, l->list, 2));
	return l;
}

static void load_free(struct load *l)
{
	grouping_free(&l->order);
	for (int i = 0; i < 2; i++)
		layout_done(&l->at[i].layout);
	free(l);
}

/* Returns the batch event with the number in this record. */
static const struct batch_event *event_of(const struct load *l, const uint8_t *record)
{
	return &l->events[get32(record + 4)];
}

/*
 * Checks streams by CPU, in order; every event occurs once, in a class of its type and key, in
 * order.
 */
static void check_order(const struct load *l)
{
	const struct grouping *o = &l->order;
	uint32_t k = 0, i = 0;

	for (uint32_t s = 0; s < o->nstreams; s++) {
		uint64_t last = o->first;

		cr_assert(!s || o->streams[s].cpu > o->streams[s - 1].cpu);
		for (uint32_t end = k + o->streams[s].count; k < end; k++) {
			cr_assert_eq(event_of(l, o->record[k])->cpu, o->streams[s].cpu);
			cr_assert_geq(o->events.ts[k], last);
			last = o->events.ts[k];
		}
	}
	cr_assert_eq(k, l->batch.count);
	for (uint32_t t = 0; t < o->ntables; t++) {
		const struct grouping_table *table = &o->tables[t];

		cr_assert_eq(table->first, i);
		for (uint32_t c = table->first_class; c < table->first_class + table->nclasses; c++)
			for (uint32_t n = o->class_count[c], at = i; i < at + n; i++) {
				k = o->events.number[i];
				cr_assert_eq(o->events.class_of[k], c);
				cr_assert(i == at || k > o->events.number[i - 1]);
				cr_assert_eq(o->row[i], o->record[k]);
				cr_assert_eq(event_of(l, o->row[i])->type, table->type);
				if (table->nkeys)
					cr_assert_eq(get32(o->row[i]),
						     o->class_key[c * GROUPING_KEYS]);
			}
	}
	cr_assert_eq(i, l->batch.count);
}

Test(parts, events_are_arranged_by_cpu_type_and_key)
{
	struct load *l = load_new(40, EVENTS);

	check_order(l);
	cr_assert_eq(l->order.ntables, 2);
	cr_assert_eq(l->order.tables[0].nclasses, 40);
	load_free(l);
}

Test(parts, too_many_values_are_no_key)
{
	struct load *l = load_new(65, EVENTS);

	check_order(l);
	cr_assert_eq(l->order.events.nclasses, 2);
	cr_assert_eq(l->order.tables[0].nkeys, 0);
	load_free(l);
}

Test(parts, few_events_are_not_worth_classes)
{
	struct load *l = load_new(5, 300);

	check_order(l);
	cr_assert_eq(l->order.events.nclasses, 2);
	/* The same memory again, with other finds in it. */
	l->batch.count = EVENTS / 2;
	for (uint32_t i = 300; i < EVENTS / 2; i++) {
		l->events[i] = l->events[i % 300];
		l->events[i].ts = 1000 + i;
		l->events[i].offset = i * 8;
		put32(l->bytes + i * 8, i % 3);
		put32(l->bytes + i * 8 + 4, i);
	}
	cr_assert(grouping_make(&l->order, &l->batch, l->list, 2));
	check_order(l);
	cr_assert_eq(l->order.tables[0].nclasses, 5);
	load_free(l);
}

/* ---- contexts and excerpts ---------------------------------------------------------------- */

Test(parts, contexts_are_those_of_the_text)
{
	struct load *l = load_new(40, EVENTS);
	struct events *e = &l->order.events;
	uint16_t memory[EVENTS + 8];
	uint64_t *pid = calloc(EVENTS, sizeof(*pid)), *ref = calloc(EVENTS, sizeof(*ref));
	struct table t = { 0 };

	cr_assert(pid && ref && table_init(&t, &l->at[1].layout, l->order.tables[1].n));
	for (uint32_t i = 0; i < EVENTS; i++) {
		pid[i] = (uint64_t)i << 33 | 5;
		ref[i] = i * 0x123456789abcull;
	}
	e->pid = pid;
	events_before(e);
	table_of(&t, e, l->order.tables[1].first, l->order.tables[1].first_class,
		 l->order.tables[1].nclasses);
	for (unsigned int mask = 0; mask < CONTEXT_MASKS; mask++) {
		const uint16_t *slots = table_slots(&t, mask, ref, memory);

		for (uint32_t i = 0; i < t.n; i++) {
			uint32_t k = t.number[i], sum = 0;
			uint32_t one = k > 0 ? e->class_of[k - 1] + 1u : 0;
			uint32_t two = k > 1 ? e->class_of[k - 2] + 1u : 0;

			sum += mask & 1 ? e->class_of[k] * 0x9E3779B1u : 0;
			sum += mask & 2 ? (uint32_t)(pid[k] ^ pid[k] >> 32) * 0x85EBCA77u : 0;
			sum += mask & 4 ? (65536 * one + two) * 0xC2B2AE3Du : 0;
			sum += mask & 8 ? (uint32_t)(ref[i] ^ ref[i] >> 32) * 0x27D4EB2Fu : 0;
			cr_assert_eq(slots[i], ((sum ^ sum >> 15) * 0x7FEB352Du) >> (32 - 12),
				     "mask %u event %u", mask, i);
		}
	}
	table_free(&t);
	free(pid);
	free(ref);
	load_free(l);
}

Test(parts, an_excerpt_has_its_share_of_all_classes)
{
	struct load *l = load_new(40, EVENTS);
	struct grouping_table *a = &l->order.tables[0];
	struct excerpt *s = calloc(1, sizeof(*s));
	struct table t = { 0 };
	uint32_t first = 0, at = 0;

	cr_assert(s && excerpt_init(s, EXCERPT) && a->n > EXCERPT);
	cr_assert(table_init(&t, &l->at[0].layout, a->n));
	table_of(&t, &l->order.events, a->first, a->first_class, a->nclasses);
	for (uint32_t i = 0; i < t.n; i++)
		t.value[1][i] = 3 * i;
	cr_assert(excerpt_take(s, &t));
	excerpt_column(s, &t, 1);
	cr_assert_leq(s->table.n, EXCERPT);
	for (uint32_t c = 0; c < s->table.nclasses; c++) {
		uint32_t share = t.class_count[c] * EXCERPT / t.n;

		cr_assert(s->class_count[c] >= share || at + s->class_count[c] == s->table.n);
		for (uint32_t i = 0; i < s->class_count[c]; i++, at++) {
			cr_assert_eq(s->table.value[1][at], 3 * (first + i));
			cr_assert_eq(s->number[at], t.number[first + i]);
		}
		first += t.class_count[c];
	}
	cr_assert_eq(at, s->table.n);
	cr_assert_geq(s->table.nclasses, 38);
	excerpt_free(s);
	free(s);
	table_free(&t);
	load_free(l);
}

/* ---- dictionaries and memory -------------------------------------------------------------- */

Test(parts, a_dictionary_numbers_strings_once)
{
	struct string_table d = { 0 };
	struct room list = { 0 };
	struct buf out = { 0 };
	const struct string *got;
	struct view v;
	uint32_t count;
	char text[8];

	for (int round = 0; round < 2; round++) {
		cr_assert(string_table_reset(&d));
		for (uint32_t i = 0; i < STRING_TABLE_MAX; i++) {
			snprintf(text, sizeof(text), "%u", i);
			cr_assert_eq(string_table_number(&d, (struct string){ (uint8_t *)text,
						       (uint32_t)strlen(text) }), i);
		}
		cr_assert_eq(string_table_number(&d, (struct string){ (uint8_t *)"77", 2 }), 77);
		cr_assert_eq(string_table_number(&d, (struct string){ (uint8_t *)"x", 1 }),
			     UINT32_MAX, "one too many");
		string_table_forget(&d, 1235);
		cr_assert_eq(string_table_number(&d, (struct string){(uint8_t *)"1234", 4}), 1234);
		cr_assert_eq(string_table_number(&d, (struct string){ (uint8_t *)"x", 1 }), 1235);
		string_table_forget(&d, 1235);
		for (uint32_t i = 1235; i < STRING_TABLE_MAX; i++) {
			snprintf(text, sizeof(text), "%u", i);
			cr_assert_eq(string_table_number(&d, (struct string){ (uint8_t *)text,
						       (uint32_t)strlen(text) }), i);
		}
	}
	string_table_put(&d, &out);
	v = (struct view){ out.data, out.data + out.len, false };
	cr_assert(string_table_get(&v, &list, &count));
	cr_assert(count == STRING_TABLE_MAX && v.p == v.end);
	got = list.p;
	cr_assert(got[1234].len == 4 && !memcmp(got[1234].p, "1234", 4));
	v = (struct view){ out.data, out.data + out.len - 1, false };
	cr_assert(!string_table_get(&v, &list, &count), "cut");
	free(list.p);
	buf_free(&out);
	string_table_free(&d);
}

/* Memory ran out once, for the table or for the bytes. */
Test(parts, a_string_table_is_of_use_again_when_there_is_memory)
{
	struct string_table d = { 0 };

	cr_assert(string_table_reset(&d));
	free(d.table);
	d.table = NULL;
	d.bytes.failed = true;
	cr_assert(string_table_reset(&d));
	cr_assert_eq(string_table_number(&d, (struct string){ (uint8_t *)"x", 1 }), 0);
	string_table_free(&d);
}

Test(parts, an_arena_keeps_to_its_bound)
{
	struct arena a = { .max = 5 << 20 };

	for (int round = 0; round < 3; round++) {
		uint8_t *p = arena_take(&a, 1000, 3), *q = arena_take(&a, 1 << 20, 4);

		cr_assert(p && q);
		memset(p, 1, 3000);
		memset(q, 2, 4 << 20);
		cr_assert_eq(p[2999], 1);
		cr_assert((uintptr_t)p % 16 == 0 && (uintptr_t)q % 16 == 0);
		cr_assert_null(arena_take(&a, 1 << 20, 1), "over the bound");
		cr_assert_null(arena_take(&a, SIZE_MAX / 2, 4), "a product that overflows");
		cr_assert_not_null(arena_take(&a, 0, 8));
		arena_reset(&a);
		cr_assert_eq(a.used, 0);
	}
	arena_free(&a);
}
