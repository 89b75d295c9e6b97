/* SPDX-License-Identifier: MIT */
/* Batches to payloads and back: the same events come out for any input. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "format/memory.h"
#include "tests/format/batches.h"
#include "format/bytes.h"
#include "format/level.h"

static uint8_t *encode(struct chunk_encoder *e, const struct batches *b, size_t *len)
{
	struct chunk_payload p;
	struct trawl_error err;
	uint8_t *copy;

	cr_assert_eq(chunk_encode(e, &b->schema, &b->batch, &p, &err), 0, "%s", err.text);
	for (uint32_t i = 0; i < b->batch.count; i++)
		cr_assert(b->batch.events[i].ts >= p.first && b->batch.events[i].ts <= p.last);
	/* In a block of its own size, so that ASan sees any read past the end. */
	*len = p.len;
	copy = malloc(p.len);
	cr_assert(copy);
	return memcpy(copy, p.data, p.len);
}

static int decode(struct chunk_decoder *d, const struct batches *b, const struct chunk_payload *p,
		  const struct trawl_chunk **c)
{
	struct trawl_error err;
	int ret = chunk_decode(d, &b->schema, p, c, &err);

	cr_assert(!ret || err.status == TRAWL_BAD_DATA, "%s", err.text);
	return ret;
}

static struct chunk_payload payload_of(const uint8_t *p, size_t len, uint32_t count)
{
	return (struct chunk_payload){ .data = p, .len = len, .count = count };
}

static void compare(const struct batches *b, const struct batch_event *e,
		    const struct trawl_event *ev)
{
	uint32_t len;
	uint8_t *want = batches_expect(b, e, &len);

	cr_assert_eq(ev->ts, e->ts);
	cr_assert_eq(ev->type, b->list[e->type]);
	cr_assert_eq(ev->cpu, e->cpu);
	cr_assert_eq(ev->len, len, "%u bytes instead of %u", ev->len, len);
	cr_assert_arr_eq(ev->record, want, len);
	free(want);
}

/* Compares the batch's events, in their order, with the streams of their CPUs. */
static void compare_rows(const struct batches *b, const struct trawl_chunk *c)
{
	struct chunk_cursor *cursor = chunk_cursor_new(c);
	struct trawl_event ev;
	uint32_t s;

	for (uint32_t i = 0; i < b->batch.count; i++) {
		for (s = 0; s < c->nstreams && c->streams[s].cpu != b->batch.events[i].cpu;)
			s++;
		cr_assert_lt(s, c->nstreams);
		cr_assert_eq(chunk_cursor_next(cursor, s, &ev), 1);
		compare(b, &b->batch.events[i], &ev);
	}
	for (s = 0; s < c->nstreams; s++)
		cr_assert_eq(chunk_cursor_next(cursor, s, &ev), 0);
	chunk_cursor_free(cursor);
}

/* Compares the columns with the rows. */
static void compare_columns(const struct trawl_chunk *c)
{
	struct chunk_cursor *cursor = chunk_cursor_new(c);
	uint32_t *next = calloc(c->ngroups + 1, sizeof(*next));
	struct trawl_event ev;

	for (uint32_t s = 0; s < c->nstreams; s++)
		for (uint32_t i = 0; i < c->streams[s].count; i++) {
			uint32_t n = c->streams[s].first + i, at = next[c->group_of[n]]++;
			const struct trawl_group *g = &c->groups[c->group_of[n]];

			cr_assert_eq(chunk_cursor_next(cursor, s, &ev), 1);
			cr_assert_eq(g->ts[at], ev.ts);
			for (uint32_t k = 0; k < g->ncolumns; k++) {
				const struct trawl_field *f = g->columns[k].field;
				size_t size = (size_t)f->size * f->count;

				if (f->place != TRAWL_FIXED || !size)
					continue;
				cr_assert_arr_eq((const uint8_t *)g->columns[k].data + at * size,
						 (const uint8_t *)ev.record + f->offset, size);
			}
		}
	for (uint32_t g = 0; g < c->ngroups; g++)
		cr_assert_eq(next[g], c->groups[g].count);
	free(next);
	chunk_cursor_free(cursor);
}

static size_t round_trip(struct chunk_encoder *e, struct chunk_decoder *d, const struct batches *b)
{
	const struct trawl_chunk *c;
	size_t len;
	uint8_t *payload = encode(e, b, &len);
	struct chunk_payload p = payload_of(payload, len, b->batch.count);

	cr_assert(!decode(d, b, &p, &c));
	cr_assert_eq(c->count, b->batch.count);
	compare_rows(b, c);
	compare_columns(c);
	free(payload);
	return len;
}

static size_t round_trip_once(struct batches *b, int level)
{
	struct chunk_encoder *e = chunk_encoder_new(level);
	struct chunk_decoder *d = chunk_decoder_new();
	size_t len;

	cr_assert(e && d);
	len = round_trip(e, d, b);
	chunk_encoder_free(e);
	chunk_decoder_free(d);
	return len;
}

Test(chunk, random_types_and_events)
{
	for (uint64_t seed = 1; seed <= 150; seed++) {
		struct batches *b = batches_new(seed, 1 + seed % 9, WAYS);

		batches_fill(b, (uint32_t)(seed * seed % 1500), 1 + seed % 5, seed % 3 * 10);
		round_trip_once(b, (int)(seed % 7));
		batches_free(b);
	}
}

/* At the level of trawl-edit compact all plans are tried: a column may refer to any earlier one. */
Test(chunk, random_types_and_events_as_small_as_they_get)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct batches *b = batches_new(seed, 1 + seed % 9, WAYS);

		batches_fill(b, (uint32_t)(seed * seed % 1500), 1 + seed % 5, seed % 3 * 10);
		cr_assert_leq(round_trip_once(b, 22), round_trip_once(b, 1) + 64);
		batches_free(b);
	}
}

/* One encoder and one decoder for many chunks, with plans made for earlier ones. */
Test(chunk, many_chunks_of_one_source)
{
	struct chunk_encoder *e = chunk_encoder_new(5);
	struct chunk_decoder *d = chunk_decoder_new();
	struct batches *b = batches_new(77, 6, WAYS);

	for (uint32_t i = 0; i < 60; i++) {
		batches_fill(b, i * 37 % 900, 3, 0);
		round_trip(e, d, b);
	}
	batches_free(b);
	chunk_encoder_free(e);
	chunk_decoder_free(d);
}

Test(chunk, each_way_of_numbers)
{
	for (int way = 0; way < WAYS; way++) {
		struct batches *b = batches_new(200 + (uint64_t)way, 3, way);

		batches_fill(b, 20000, 2, 0);
		round_trip_once(b, 0);
		batches_free(b);
	}
}

Test(chunk, no_event_and_one)
{
	for (uint32_t n = 0; n < 2; n++) {
		struct batches *b = batches_new(5 + n, 4, WAYS);

		batches_fill(b, n, 1, 0);
		round_trip_once(b, 0);
		batches_free(b);
	}
}

Test(chunk, a_thousand_types)
{
	struct batches *b = batches_new(11, BATCHES_TYPES, WAYS);

	batches_fill(b, 65536, 2, 50);
	round_trip_once(b, 0);
	batches_free(b);
}

/* Few types, but more streams times types than there are windows of rows. */
Test(chunk, three_hundred_cpus)
{
	for (uint32_t types = 3; types <= 60; types += 57) {
		struct batches *b = batches_new(12, types, WAYS);

		batches_fill(b, 4000, 300, types == 60 ? 50 : 0);
		round_trip_once(b, 0);
		batches_free(b);
	}
}

/* Chunks of one decoder stay until they are given back, and their memory is reused. */
Test(chunk, several_at_a_time)
{
	enum { OPEN = 5 };
	struct chunk_encoder *e = chunk_encoder_new(3);
	struct chunk_decoder *d = chunk_decoder_new();
	struct batches *b[OPEN];
	struct chunk_memory *memory[OPEN];
	const struct trawl_chunk *c[OPEN];

	for (uint32_t i = 0; i < OPEN; i++)
		b[i] = batches_new(300 + i, 4, WAYS);
	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < OPEN; i++) {
			struct chunk_payload p;
			size_t len;
			uint8_t *payload;

			batches_fill(b[i], 700 * (1 + i), 3, 20);
			payload = encode(e, b[i], &len);
			p = payload_of(payload, len, b[i]->batch.count);
			cr_assert(!decode(d, b[i], &p, &c[i]));
			memory[i] = chunk_take(d);
			cr_assert_gt(chunk_memory_size(memory[i]), 0);
			free(payload);
		}
		for (uint32_t i = OPEN; i-- > 0;) {
			compare_rows(b[i], c[i]);
			chunk_give_back(d, memory[i]);
		}
	}
	chunk_decoder_free(d);
	chunk_encoder_free(e);
	for (uint32_t i = 0; i < OPEN; i++)
		batches_free(b[i]);
}

/* As in USB: a key, a small number, and 13 MB of noise. */
Test(chunk, a_large_tail)
{
	static const struct trawl_field fields[] = {
		{ "ep", "", "", TRAWL_ENUM, TRAWL_FIXED, TRAWL_FIELD_KEY, 0, 1, 1 },
		{ "len", "", "", TRAWL_UINT, TRAWL_FIXED, 0, 4, 4, 1 },
		{ "data", "", "", TRAWL_BYTES, TRAWL_TAIL, 0, 8, 1, 1 },
	};
	const uint32_t size = 13 << 20;
	struct batches *b = batches_new(13, 1, WAYS);
	struct batch_event *events = calloc(3, sizeof(*events));
	uint8_t *bytes = malloc((size_t)size + 100);
	size_t len;

	b->source.ncommon = 0;
	b->types[0] = (struct trawl_event_type){ .id = 1, .name = "t", .format = "", .size = 8,
						 .nfields = 3, .fields = fields };
	for (uint32_t i = 0; i + 8 <= size; i += 8)
		put64(bytes + i, batches_random(b));
	memset(bytes + size, 1, 100);
	events[0] = (struct batch_event){ .ts = 10, .offset = size, .len = 50 };
	events[1] = (struct batch_event){ .ts = 11, .offset = 0, .len = size };
	events[2] = (struct batch_event){ .ts = 12, .offset = size + 50, .len = 50 };
	b->batch = (struct batch){ .events = events, .count = 3, .bytes = bytes,
				   .used = size + 100, .size = size + 100 };
	len = round_trip_once(b, 0);
	cr_assert_lt(len, size + 1000u, "noise grew to %zu bytes", len);
	batches_free(b);
}

/* Payloads of one size after a number, which compress to about a third. */
static struct batches *payloads(uint32_t count, uint32_t size)
{
	static const struct trawl_field fields[] = {
		{ "n", "", "", TRAWL_SEQ, TRAWL_FIXED, 0, 0, 8, 1 },
		{ "data", "", "", TRAWL_BYTES, TRAWL_TAIL, 0, 8, 1, 1 },
	};
	struct batches *b = batches_new(14, 1, WAYS);
	const uint32_t len = size + 8;
	uint8_t *p = malloc((size_t)count * len);

	b->source.ncommon = 0;
	b->types[0] = (struct trawl_event_type){ .id = 1, .name = "t", .format = "", .size = 8,
						 .nfields = 2, .fields = fields };
	b->batch = (struct batch){ .events = calloc(count, sizeof(struct batch_event)),
				   .count = count, .bytes = p, .used = (size_t)count * len };
	b->batch.size = b->batch.used;
	for (uint32_t i = 0; i < count; i++, p += len) {
		b->batch.events[i] = (struct batch_event){ .ts = 10 + i, .offset = i * len,
							   .len = len };
		put64(p, i);
		for (uint32_t k = 8; k < len; k += 8)
			put64(p + k, k % 32 ? 0x1122334455667788u : batches_random(b));
	}
	return b;
}

/* The level of bulk payload is chosen chunk by chunk; small payload is not bulk. */
Test(chunk, bulk_has_a_level_of_its_own)
{
	static const int levels[] = { 1, -3, -50, LEVEL_STORED };
	struct batches *bulk = payloads(100, 4096), *small = payloads(10000, 64);
	struct chunk_encoder *e = chunk_encoder_new(1);
	struct chunk_decoder *d = chunk_decoder_new();
	size_t len, least = 0, first_small = 0;

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		chunk_encoder_bulk(e, levels[i]);
		len = round_trip(e, d, bulk);
		cr_assert(chunk_encoder_was_bulk(e));
		cr_assert_gt(len, least, "level %d: %zu bytes", levels[i], len);
		least = len;
		len = round_trip(e, d, small);
		cr_assert(!chunk_encoder_was_bulk(e));
		if (!i)
			first_small = len;
		cr_assert_lt(len, first_small + first_small / 20, "level %d: %zu bytes", levels[i],
			     len);
	}
	cr_assert_gt(least, 100 * 4096, "stored as it is");
	cr_assert_lt(least, 100 * 4096 + 1000);
	chunk_decoder_free(d);
	chunk_encoder_free(e);
	batches_free(bulk);
	batches_free(small);
}

/*
 * Two alternating endpoints whose payload has 16 different letters each: 4 bits a byte if each has
 * its own statistics, 5 if they share them.
 */
Test(chunk, payload_of_each_class_has_its_own_statistics)
{
	static const struct trawl_field fields[] = {
		{ "ep", "", "", TRAWL_ENUM, TRAWL_FIXED, TRAWL_FIELD_KEY, 0, 1, 1 },
		{ "data", "", "", TRAWL_BYTES, TRAWL_TAIL, 0, 8, 1, 1 },
	};
	enum { COUNT = 8192, SIZE = 8, LEN = 8 + SIZE };
	struct batches *b = payloads(COUNT, SIZE);
	const size_t least = COUNT * SIZE / 2;
	size_t len;

	b->types[0].fields = fields;
	for (uint32_t i = 0; i < COUNT; i++) {
		uint8_t *p = b->batch.bytes + (size_t)i * LEN;

		put64(p, i % 2);
		for (int k = 0; k < SIZE; k++)
			p[8 + k] = (uint8_t)(i % 2 * 16 + (batches_random(b) >> 60));
	}
	len = round_trip_once(b, 1);
	cr_assert_gt(len, least);
	cr_assert_lt(len, least + least / 16, "%zu bytes of %zu", len, least);
	batches_free(b);
}

/* Blank sectors, silence, unchanged polls: stored once, independent of their length. */
Test(chunk, bulk_that_comes_again_is_stored_once)
{
	static const struct { uint32_t others, stored; } cases[] = {
		{ 0, 1 }, { 5, 6 }, { 31, 200 }, /* too many new ones: stored in sequence */
	};
	enum { COUNT = 200, SIZE = 4096 };
	struct chunk_encoder *e = chunk_encoder_new(1);
	struct chunk_decoder *d = chunk_decoder_new();

	for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
		struct batches *b = payloads(COUNT, SIZE);
		uint8_t *p = b->batch.bytes;
		size_t len, each = cases[k].stored * (SIZE / 3);

		/* Compression finds no repetitions between others: the noise is all different. */
		for (uint32_t i = 0; i < COUNT * (SIZE + 8); i++)
			p[i] ^= (uint8_t)(batches_random(b) >> 60);
		for (uint32_t i = 0; i < COUNT; i++) {
			uint32_t like = cases[k].others < 31 ? i % (cases[k].others + 1) : i;

			memmove(p + i * (SIZE + 8) + 8, p + like * (SIZE + 8) + 8, SIZE);
		}
		len = round_trip(e, d, b);
		cr_assert_gt(len, each, "case %zu: %zu bytes", k, len);
		cr_assert_lt(len, cases[k].stored * SIZE + 2000, "case %zu: %zu bytes", k, len);
		cr_assert_eq(chunk_encoder_was_bulk(e), cases[k].stored == COUNT);
		batches_free(b);
	}
	chunk_decoder_free(d);
	chunk_encoder_free(e);
}

/* Strings that turned out not to repeat must not stay in the string table. */
Test(chunk, strings_that_do_not_repeat_leave_no_list)
{
	struct batches *b = payloads(3000, 8);
	size_t len, plain = 3000 * 8;

	for (uint32_t i = 0; i < 3000; i++)
		put64(b->batch.bytes + i * 16 + 8, batches_random(b));
	len = round_trip_once(b, 0);
	cr_assert_lt(len, plain + 500, "%zu bytes", len);
	batches_free(b);
}

/* A flush every second at a low rate must not write more bytes for descriptions than for events. */
Test(chunk, small_chunks_have_little_overhead)
{
	struct batches *b = batches_new(20, 5, WAY_ZERO);
	size_t len;

	batches_fill(b, 60, 1, 0);
	len = round_trip_once(b, 0);
	cr_assert_lt(len, 1200u, "%zu bytes for 60 events", len);
	batches_free(b);
}

/* Two CPUs or buses with alternating events, each with its own clock. */
Test(chunk, a_clock_that_steps_back_costs_little)
{
	struct batches *b = payloads(3000, 8);
	size_t forward, back;

	for (uint32_t i = 0; i < 3000; i++)
		b->batch.events[i].ts = UINT64_C(1) << 60 | i * 7000;
	forward = round_trip_once(b, 0);
	for (uint32_t i = 0; i < 3000; i++)
		b->batch.events[i].ts -= i % 2 ? 9000 : 0;
	back = round_trip_once(b, 0);
	cr_assert_lt(back, forward + 3000, "%zu bytes instead of %zu", back, forward);
	batches_free(b);
}

/* ---- hostile payloads --------------------------------------------------------------------- */

static volatile uint64_t sink;

/* If it decodes, reads all of it. */
static void read_all(struct chunk_decoder *d, const struct batches *b, const uint8_t *bytes,
		     size_t len)
{
	struct chunk_payload p = payload_of(bytes, len, b->batch.count);
	const struct trawl_chunk *c;
	struct chunk_cursor *cursor;
	struct trawl_event ev;

	if (decode(d, b, &p, &c))
		return;
	cursor = chunk_cursor_new(c);
	for (uint32_t s = 0; s < c->nstreams; s++)
		while (chunk_cursor_next(cursor, s, &ev) > 0)
			for (uint32_t i = 0; i < ev.len; i++)
				sink += ((const uint8_t *)ev.record)[i];
	chunk_cursor_free(cursor);
}

/* Changes every byte in three ways, and truncates at every byte. */
static void torment(struct chunk_decoder *d, const struct batches *b, uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		uint8_t was = p[i];

		for (int k = 0; k < 3; k++) {
			p[i] = k == 2 ? 0xff : (uint8_t)(was ^ 1u << (k * 7));
			read_all(d, b, p, len);
		}
		p[i] = was;
	}
	for (size_t cut = 0; cut < len; cut++) {
		uint8_t *shorter = malloc(cut + 1);

		memcpy(shorter + 1, p, cut);
		read_all(d, b, shorter + 1, cut);
		free(shorter);
	}
}

Test(chunk, every_changed_byte_and_every_cut)
{
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct chunk_encoder *e = chunk_encoder_new(0);
		struct chunk_decoder *d = chunk_decoder_new();
		struct batches *b = batches_new(300 + seed, 4, WAYS);
		size_t len, expanded;
		uint8_t *p, *q;

		batches_fill(b, 60, 2, 15);
		p = encode(e, b, &len);
		q = batches_expand(p, len, &expanded);
		torment(d, b, p, len);
		torment(d, b, q, expanded);
		free(p);
		free(q);
		chunk_encoder_free(e);
		chunk_decoder_free(d);
		batches_free(b);
	}
}

Test(chunk, a_wrong_count_is_damage)
{
	struct chunk_encoder *e = chunk_encoder_new(0);
	struct chunk_decoder *d = chunk_decoder_new();
	struct batches *b = batches_new(400, 3, WAYS);
	static const uint32_t counts[] = { 0, 1, 99, 101, 1 << 20, UINT32_MAX };
	const struct trawl_chunk *c;
	uint8_t *bytes;
	size_t len;

	batches_fill(b, 100, 2, 0);
	bytes = encode(e, b, &len);
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		struct chunk_payload p = payload_of(bytes, len, counts[i]);

		cr_assert_eq(decode(d, b, &p, &c), -1);
	}
	free(bytes);
	batches_free(b);
	chunk_encoder_free(e);
	chunk_decoder_free(d);
}

static void drop_type(struct batch *b, uint32_t type)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < b->count; i++)
		if (b->events[i].type != type)
			b->events[n++] = b->events[i];
	b->count = n;
}

/* A reader that lost the block of a type reads the chunks that do not need it. */
Test(chunk, a_lost_type_costs_only_its_chunks)
{
	struct chunk_encoder *e = chunk_encoder_new(0);
	struct chunk_decoder *d = chunk_decoder_new();
	struct batches *b = batches_new(500, 3, WAYS);
	const struct trawl_event_type *lost = b->list[1];
	const struct trawl_chunk *c;
	struct chunk_payload p;
	uint8_t *bytes;
	size_t len;

	batches_fill(b, 60, 1, 0);
	bytes = encode(e, b, &len);
	p = payload_of(bytes, len, 60);
	b->list[1] = NULL;
	cr_assert_eq(decode(d, b, &p, &c), -1);
	b->list[1] = lost;
	free(bytes);
	drop_type(&b->batch, 1);
	bytes = encode(e, b, &len);
	p = payload_of(bytes, len, b->batch.count);
	b->list[1] = NULL;
	cr_assert(!decode(d, b, &p, &c));
	free(bytes);
	batches_free(b);
	chunk_encoder_free(e);
	chunk_decoder_free(d);
}
