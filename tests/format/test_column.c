/* SPDX-License-Identifier: MIT */
/* The parts of chunks: numbers, bucket codes, columns, substreams. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "format/memory.h"
#include "format/bucket.h"
#include "format/code.h"
#include "format/column.h"
#include "format/substream.h"

static uint64_t state = 88172645463325252ull;

static uint64_t random_next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void sink_free(struct column_sink *s)
{
	buf_free(&s->structure);
	buf_free(&s->codes);
	buf_free(&s->literals);
	buf_free(&s->bits);
	buf_free(&s->data);
}

/* Makes a view as substream_get() does, with readable bytes after it. */
static struct view view_of(struct buf *b)
{
	cr_assert(buf_reserve(b, SUBSTREAM_PAD));
	memset(b->data + b->len, 0xa5, SUBSTREAM_PAD);
	return (struct view){ b->data, b->data + b->len, false };
}

Test(column, varints_of_every_length)
{
	struct buf b = { 0 };
	struct view v;

	for (unsigned int bit = 0; bit < 64; bit++)
		for (int d = -1; d <= 1; d++)
			buf_varint(&b, (1ull << bit) + (uint64_t)d);
	v = view_of(&b);
	for (unsigned int bit = 0; bit < 64; bit++)
		for (int d = -1; d <= 1; d++)
			cr_assert_eq(view_varint(&v), (1ull << bit) + (uint64_t)d);
	cr_assert(!v.bad && v.p == v.end);
	cr_assert_eq(view_varint(&v), 0);
	cr_assert(v.bad);
	buf_free(&b);
}

Test(column, varints_that_are_too_long_are_bad)
{
	uint8_t ten[10] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02 };
	struct view v = { ten, ten + sizeof(ten), false };

	view_varint(&v);
	cr_assert(v.bad);
	ten[9] = 0x01;
	v = (struct view){ ten, ten + sizeof(ten), false };
	cr_assert_eq(view_varint(&v), UINT64_MAX);
	cr_assert(!v.bad);
	v = (struct view){ ten, ten + sizeof(ten), false };
	cr_assert_eq(view_varint_max(&v, UINT64_MAX - 1), 0);
	cr_assert(v.bad);
}

Test(column, zigzag_goes_both_ways)
{
	cr_assert_eq(zigzag(0), 0);
	cr_assert_eq(zigzag(UINT64_MAX), 1);
	cr_assert_eq(zigzag(1), 2);
	cr_assert_eq(zigzag(1ull << 63), UINT64_MAX);
	for (int i = 0; i < 1000; i++) {
		uint64_t x = random_next() >> i % 64;

		cr_assert_eq(unzigzag(zigzag(x)), x);
	}
}

/* The table of docs/format.md, tested at the limits of every bucket. */
Test(column, bucket_codes_are_those_of_the_text)
{
	for (unsigned int c = 0; c < BUCKET_CODES; c++) {
		unsigned int bits = c < 16 ? 0 : c < 200 ? (c - 16) / 8 + 1 : c - 200 + 27, got;
		uint64_t low = c < 16 ? c : c < 200 ? (8 + c % 8ull) << bits : 1ull << bits;
		uint64_t high = low + (1ull << bits) - 1;

		cr_assert_eq(bucket_code(low, &got), c);
		cr_assert_eq(got, bits);
		cr_assert_eq(bucket_code(high, &got), c);
		cr_assert_eq(got, bits);
	}
}

Test(column, bucket_sequences_of_any_length)
{
	enum { MOST = 300 };
	uint64_t in[MOST], out[MOST];

	for (uint32_t n = 0; n <= MOST; n++) {
		struct buf codes = { 0 }, bits = { 0 };
		struct view v;

		for (uint32_t i = 0; i < n; i++)
			in[i] = random_next() >> random_next() % 64;
		bucket_encode(in, n, &codes, &bits);
		v = view_of(&bits);
		view_of(&codes);
		cr_assert(bucket_decode(codes.data, n, &v, out));
		cr_assert_eq(v.p, v.end);
		for (uint32_t i = 0; i < n; i++)
			cr_assert_eq(in[i], out[i]);
		if (bits.len) {
			v = (struct view){ bits.data, bits.data + bits.len - 1, false };
			cr_assert(!bucket_decode(codes.data, n, &v, out));
		}
		if (n) {
			codes.data[n / 2] = BUCKET_CODES;
			v = view_of(&bits);
			cr_assert(!bucket_decode(codes.data, n, &v, out));
		}
		buf_free(&codes);
		buf_free(&bits);
	}
}

/* ---- columns by every plan ---------------------------------------------------------------- */

enum { EVENTS = 700, CLASSES = 3 };

static const struct trawl_field fields[] = {
	{ "a", "", "", TRAWL_UINT, TRAWL_FIXED, 0, 0, 8, 1 },
	{ "b", "", "", TRAWL_INT, TRAWL_FIXED, 0, 8, 4, 1 },
	{ "c", "", "", TRAWL_HEX, TRAWL_FIXED, 0, 12, 2, 1 },
	{ "d", "", "", TRAWL_INT, TRAWL_FIXED, 0, 14, 1, 1 },
	{ "e", "", "", TRAWL_TIME, TRAWL_FIXED, 0, 16, 8, 1 },
};

struct fixture {
	struct layout layout;
	struct events events;
	uint16_t class_of[EVENTS];
	uint32_t class_count[CLASSES], number[EVENTS], before[EVENTS];
	uint64_t ts[EVENTS], pid[EVENTS], value[5][EVENTS];
	struct predictors predictors;
	struct table in, out;
};

/* common: all events are one run, in chunk order. */
static void make_table(struct fixture *f, struct table *t, bool common)
{
	cr_assert(table_init(t, &f->layout, EVENTS));
	if (common)
		table_of_all(t, &f->events);
	else
		table_of(t, &f->events, 0, 0, CLASSES);
}

static void make_events(struct fixture *f)
{
	uint32_t next[CLASSES + 1] = { 0 };

	for (uint32_t i = 0; i < EVENTS; i++) {
		f->class_of[i] = random_next() % CLASSES;
		f->class_count[f->class_of[i]]++;
	}
	for (int c = 0; c < CLASSES; c++)
		next[c + 1] = next[c] + f->class_count[c];
	for (uint32_t i = 0; i < EVENTS; i++) {
		f->number[next[f->class_of[i]]++] = i;
		f->ts[i] = 1000 + i * 50;
		f->pid[i] = random_next() & 3;
	}
	f->events = (struct events){ .count = EVENTS, .nclasses = CLASSES, .before = f->before,
				     .class_count = f->class_count, .class_of = f->class_of,
				     .number = f->number, .ts = f->ts, .pid = f->pid };
	events_before(&f->events);
}

static struct fixture *fixture_new(bool common)
{
	struct fixture *f = calloc(1, sizeof(*f));

	cr_assert(f && layout_init(&f->layout, fields, 5, 24));
	make_events(f);
	for (uint32_t i = 0; i < EVENTS; i++) {
		uint64_t r = random_next();

		f->value[0][i] = r >> 60 ? (r >> 4 & 7) << 40 : random_next();
		f->value[1][i] = (uint64_t)(int64_t)(int32_t)(r >> 20);
		f->value[2][i] = (f->value[0][i] + 5) & 0xffff;
		f->value[3][i] = (uint64_t)(int64_t)(int8_t)(i % 7 - 3);
		f->value[4][i] = f->ts[common ? i : f->number[i]] + (r & 63);
	}
	make_table(f, &f->in, common);
	make_table(f, &f->out, common);
	for (int c = 0; c < 5; c++)
		memcpy(f->in.value[c], f->value[c], sizeof(f->value[c]));
	return f;
}

static void fixture_free(struct fixture *f)
{
	table_free(&f->in);
	table_free(&f->out);
	layout_done(&f->layout);
	free(f);
}

/* Encodes and decodes all columns by one plan; truncation of any part is detected. */
static void by_plan(struct fixture *f, const struct column_plan *plan)
{
	struct column_sink s = { 0 };
	struct column_input v;

	for (uint32_t c = 0; c < 5; c++) {
		struct column_plan p = *plan;

		for (int q = 0; !c && q < p.npredictors; q++)
			/* the first column cannot refer to another one */
			p.mask[q] &= ~CONTEXT_REF;
		if (!c && p.relative == RELATIVE_REF)
			p.relative = RELATIVE_LAST;
		column_encode(&f->in, c, &p, &f->predictors, &s);
	}
	v = (struct column_input){ .structure = view_of(&s.structure), .codes = view_of(&s.codes),
				   .literals = view_of(&s.literals), .bits = view_of(&s.bits) };
	for (uint32_t c = 0; c < 5; c++) {
		cr_assert(column_decode(&f->out, c, &f->predictors, &v));
		cr_assert_arr_eq(f->out.value[c], f->value[c], sizeof(f->value[c]),
				 "column %u relative %d literal %d masks %d %d %d", c,
				 plan->relative, plan->literal, plan->mask[0], plan->mask[1],
				 plan->mask[2]);
	}
	cr_assert(v.structure.p == v.structure.end && v.codes.p == v.codes.end &&
		  v.literals.p == v.literals.end && v.bits.p == v.bits.end);
	sink_free(&s);
}

static void by_every_plan(struct fixture *f)
{
	for (unsigned int mask = 0; mask < CONTEXT_MASKS; mask++)
		for (unsigned int way = 0; way < 64; way++) {
			struct column_plan p = {
				.relative = way & 3, .literal = way >> 2 & 3,
				.npredictors = way >> 4,
				.mask = { (uint8_t)mask, mask * 5 % 32, mask * 11 % 32 },
			};

			by_plan(f, &p);
		}
	fixture_free(f);
}

Test(column, every_plan_keeps_the_values)
{
	by_every_plan(fixture_new(false));
}

Test(column, every_plan_keeps_the_values_of_common_fields)
{
	by_every_plan(fixture_new(true));
}

/*
 * Contexts of a class do not depend on earlier events of other classes; those of common fields do.
 */
Test(column, runs_are_classes_but_for_common_fields)
{
	struct column_plan p = { .relative = RELATIVE_LAST };
	struct fixture *f;
	struct column_sink s = { 0 };

	for (int common = 0; common < 2; common++) {
		f = fixture_new(common);
		for (uint32_t i = 0; i < EVENTS; i++)
			f->in.value[0][i] = 1000 + i;
		column_encode(&f->in, 0, &p, &f->predictors, &s);
		for (uint32_t i = 0, first = 0; first < EVENTS; first += f->class_count[i++])
			cr_assert_eq(f->in.literal[first], common && first ? 1 : 1000 + first);
		fixture_free(f);
	}
	sink_free(&s);
}

Test(column, a_constant_costs_a_few_bytes)
{
	struct fixture *f = fixture_new(false);
	struct column_plan p = { .npredictors = 2, .mask = { 1, 3 } };
	struct column_sink s = { 0 };
	struct column_input v = { 0 };

	for (uint32_t i = 0; i < EVENTS; i++)
		f->in.value[1][i] = (uint64_t)-5;
	column_encode(&f->in, 1, &p, &f->predictors, &s);
	cr_assert_eq(s.structure.len, 2);
	cr_assert_eq(s.codes.len + s.literals.len + s.bits.len, 0);
	v.structure = view_of(&s.structure);
	cr_assert(column_decode(&f->out, 1, &f->predictors, &v));
	for (uint32_t i = 0; i < EVENTS; i++)
		cr_assert_eq(f->out.value[1][i], (uint64_t)-5);
	sink_free(&s);
	fixture_free(f);
}

/* References to later columns, and invalid masks and tags. */
Test(column, impossible_descriptions_are_refused)
{
	static const uint8_t bad[][4] = {
		{ 0x81 }, { 0x41, 8, 1 }, { 0x41, 8, 200 }, { 0x01, 8 }, { 0x01, 32 }, { 0x10 },
		{ 0xff, 1, 1, 1 },
	};
	struct fixture *f = fixture_new(false);

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct buf b = { 0 }, codes = { 0 };
		struct column_input v = { 0 };

		buf_put(&b, bad[i], 4);
		for (int k = 0; k < EVENTS; k++)
			buf_u8(&codes, 0);
		v.structure = view_of(&b);
		v.codes = view_of(&codes);
		v.literals = view_of(&codes);
		cr_assert(!column_decode(&f->out, 1, &f->predictors, &v), "number %zu", i);
		buf_free(&b);
		buf_free(&codes);
	}
	fixture_free(f);
}

/* ---- codes and widths --------------------------------------------------------------------- */

Test(column, codes_of_any_number_are_packed)
{
	enum { MOST = 70 };
	uint8_t code[MOST + 8], got[MOST + 8];

	for (unsigned int predictors = 1; predictors <= 3; predictors++)
		for (uint32_t n = 0; n <= MOST; n++) {
			struct buf b = { 0 };
			struct view v;

			for (uint32_t i = 0; i < n; i++)
				code[i] = random_next() % (predictors + 1);
			code_pack(code, n, predictors, &b);
			cr_assert_eq(b.len, predictors == 1 ? (n + 7) / 8 : (n + 3) / 4);
			for (uint32_t i = 0; i < n; i++) {
				uint32_t bit = predictors == 1 ? i : 2 * i;

				cr_assert_eq(b.data[bit / 8] >> bit % 8 & (predictors == 1 ? 1 : 3),
					     code[i]);
			}
			v = view_of(&b);
			cr_assert(code_unpack(&v, n, predictors, got));
			cr_assert(v.p == v.end && !memcmp(code, got, n));
			v = (struct view){ b.data, b.data + b.len - 1, false };
			cr_assert(!n || !code_unpack(&v, n, predictors, got), "cut");
			buf_free(&b);
		}
}

Test(column, literals_are_as_wide_as_the_widest)
{
	static const struct { uint64_t v; uint32_t size, width; } cases[] = {
		{ 0, 8, 1 }, { 127, 8, 1 }, { 128, 8, 2 }, { (uint64_t)-128, 8, 1 },
		{ (uint64_t)-129, 8, 2 }, { 0xff, 1, 1 }, { 0xff, 2, 2 }, { 0xffff, 2, 1 },
		{ 0xffffff9c, 4, 1 }, { 0xffffff9c, 8, 5 }, { 0x7fff12345678, 8, 6 },
		{ INT64_MAX, 8, 8 }, { 1ull << 63, 8, 8 }, { UINT64_MAX, 8, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t v[3] = { 0, cases[i].v, 1 };

		cr_assert_eq(column_literal_width(v, 3, cases[i].size), cases[i].width,
			     "number %zu", i);
	}
	cr_assert_eq(column_literal_width(NULL, 0, 8), 1);
}

/* ---- sections ----------------------------------------------------------------------------- */

/* At high levels, repetitions are found that are further apart than a piece of a live recording. */
Test(column, repetition_far_apart)
{
	const size_t half = SUBSTREAM_PIECE + 100000;
	uint8_t *data = malloc(2 * half);
	ZSTD_CCtx *c = ZSTD_createCCtx();
	const struct view all = { data, data + 2 * half, false };
	struct buf live = { 0 }, patient = { 0 };
	struct substream_way way = { .level = 3 };

	for (size_t i = 0; i < half; i++)
		data[i] = data[half + i] = (uint8_t)(random_next() % 100);
	cr_assert(substream_put(&live, c, &way, all, NULL));
	way.level = 12;
	cr_assert(substream_put(&patient, c, &way, all, NULL));
	cr_assert_lt(patient.len, half);
	cr_assert_gt(live.len, half * 3 / 2);
	buf_free(&live);
	buf_free(&patient);
	ZSTD_freeCCtx(c);
	free(data);
}

static void section_trip(const uint8_t *data, size_t len, int level, size_t *stored)
{
	uint32_t at[] = { 0, 5000, 5100, 9000, 2000000 };
	const struct marks marks = { .at = at, .n = ARRAY_SIZE(at) };
	const struct substream_way way = { .level = level, .hard = level > 15 };
	ZSTD_CCtx *c = ZSTD_createCCtx();
	ZSTD_DCtx *d = ZSTD_createDCtx();
	struct buf out = { 0 };
	struct room room = { 0 };
	struct view in, got;

	cr_assert(substream_put(&out, c, level ? &way : NULL,
				(struct view){ data, data + len, false }, &marks));
	*stored = out.len;
	in = (struct view){ out.data, out.data + out.len, false };
	cr_assert(substream_get(&in, d, len, &room, &got));
	cr_assert_eq(in.p, in.end);
	cr_assert_eq(view_left(&got), len);
	cr_assert_arr_eq(got.p, data, len);
	if (len) {
		in = (struct view){ out.data, out.data + out.len, false };
		cr_assert(!substream_get(&in, d, len - 1, &room, &got), "more than the bound");
		in = (struct view){ out.data, out.data + out.len - 1, false };
		cr_assert(!substream_get(&in, d, len, &room, &got), "cut");
	}
	free(room.p);
	buf_free(&out);
	ZSTD_freeCCtx(c);
	ZSTD_freeDCtx(d);
}

Test(column, sections_of_any_content)
{
	static const size_t lengths[] = { 0, 1, 100, 5050, 100000, SUBSTREAM_PIECE,
					  2 * SUBSTREAM_PIECE + 1 };
	uint8_t *data = malloc(2 * SUBSTREAM_PIECE + 1);
	size_t stored;

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		for (size_t k = 0; k < lengths[i]; k++)
			data[k] = (uint8_t)random_next();
		section_trip(data, lengths[i], 3, &stored);
		cr_assert_leq(stored, lengths[i] + 32, "noise grew");
		for (size_t k = 0; k < lengths[i]; k++)
			data[k] = (uint8_t)(k % 50);
		section_trip(data, lengths[i], 1, &stored);
		if (lengths[i] > 1000)
			cr_assert_lt(stored, lengths[i] / 4);
		section_trip(data, lengths[i], 0, &stored);
		cr_assert_geq(stored, lengths[i]);
	}
	free(data);
}
