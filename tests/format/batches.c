/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "tests/format/batches.h"
#include "format/substream.h"

enum { RECORD_MAX = 4096 };

uint64_t batches_random(struct batches *b)
{
	b->random ^= b->random << 13;
	b->random ^= b->random >> 7;
	b->random ^= b->random << 17;
	return b->random;
}

static uint32_t below(struct batches *b, uint32_t n)
{
	return (uint32_t)(batches_random(b) >> 33) % n;
}

static void make_source(struct batches *b)
{
	static const struct trawl_field common[3] = {
		{ "flags", "", "", TRAWL_HEX, TRAWL_FIXED, 0, 2, 1, 1 },
		{ "preempt", "", "", TRAWL_UINT, TRAWL_FIXED, 0, 3, 1, 1 },
		{ "pid", "", "", TRAWL_PID, TRAWL_FIXED, 0, 4, 4, 1 },
	};

	memcpy(b->common, common, sizeof(common));
	b->source = (struct trawl_source){
		.name = "test", .spec = "", .kind = "tracefs", .clock = TRAWL_CLOCK_MONO,
		.resolution = below(b, 3) ? 1 : 1000, .ncommon = below(b, 4),
		.common = b->common,
	};
}

/* Makes a field at `at`; the note says how batches_fill() generates its values. */
static void make_field(struct batches *b, struct trawl_field *f, uint32_t *at, int way)
{
	static const uint16_t sizes[] = { 1, 2, 4, 8, 8, 4 };
	static const char ways[WAYS][2] = { "0", "1", "2", "3", "4", "5", "6", "7" };
	static const uint8_t kinds[] = { TRAWL_UINT, TRAWL_INT, TRAWL_HEX, TRAWL_ADDR, TRAWL_ENUM,
					 TRAWL_PID, TRAWL_TIME, TRAWL_SEQ, TRAWL_BOOL };

	*f = (struct trawl_field){ .name = "f", .ctype = "", .kind = kinds[below(b, 9)],
				   .place = TRAWL_FIXED, .size = sizes[below(b, 6)], .count = 1,
				   .note = ways[way < WAYS ? way : (int)below(b, WAYS)] };
	*at += below(b, 3) ? 0 : below(b, 4);
	f->offset = (uint16_t)*at;
	switch (below(b, 12)) {
	case 0:
		f->kind = TRAWL_TEXT;
		f->size = 1;
		f->count = 16;
		break;
	case 1:
		f->kind = below(b, 2) ? TRAWL_BYTES : TRAWL_TEXT;
		f->size = 1;
		f->place = below(b, 2) ? TRAWL_DATA_LOC : TRAWL_REL_LOC;
		*at += 4;
		return;
	case 2:
		f->count = (uint16_t)(1 + below(b, 20));
		break;
	case 3:
		f->kind = TRAWL_NONE;
		f->size = 0;
		break;
	case 4:
		f->flags = TRAWL_FIELD_KEY;
		break;
	}
	*at += (uint32_t)f->size * f->count;
}

static void make_type(struct batches *b, uint32_t i, int way)
{
	struct trawl_event_type *t = &b->types[i];
	uint32_t at = 8, n = below(b, BATCHES_FIELDS);
	bool dynamic = false;

	for (uint32_t k = 0; k < n; k++) {
		make_field(b, &b->fields[i][k], &at, way);
		dynamic |= b->fields[i][k].place != TRAWL_FIXED;
	}
	at += below(b, 2) * below(b, 9);
	if (!dynamic && !below(b, 4))
		b->fields[i][n++] = (struct trawl_field){
			.name = "tail", .ctype = "", .note = "", .kind = TRAWL_BYTES,
			.place = TRAWL_TAIL, .offset = (uint16_t)at, .size = 1 };
	*t = (struct trawl_event_type){ .id = i * 7 + 1, .name = "t", .format = "", .size = at,
					.nfields = n, .fields = b->fields[i] };
	b->list[i] = t;
}

struct batches *batches_new(uint64_t seed, uint32_t ntypes, int way)
{
	struct batches *b = calloc(1, sizeof(*b));

	if (!b)
		abort();
	b->random = seed * 0x9e3779b97f4a7c15ull + 0x1234567;
	make_source(b);
	for (uint32_t i = 0; i < ntypes; i++)
		make_type(b, i, way);
	b->schema = (struct chunk_schema){ &b->source, b->list, ntypes };
	return b;
}

void batches_free(struct batches *b)
{
	free(b->batch.events);
	free(b->batch.bytes);
	free(b);
}

static uint64_t number(struct batches *b, int way, uint64_t n, uint64_t ts)
{
	switch (way) {
	case WAY_RANDOM:
		return batches_random(b);
	case WAY_FEW:
		return below(b, 5) * 0x0123456789abcdefull;
	case WAY_COUNT:
		return n;
	case WAY_STEP:
		return 0xfffffffffffff000ull + n * 4096;
	case WAY_TIME:
		return ts + below(b, 1000);
	case WAY_SMALL:
		return below(b, 300) - 100ull;
	case WAY_POINTER:
		return 0xffff888000000000ull + below(b, 64) * 0x1c0;
	default:
		return 0;
	}
}

static void put_dynamic(struct batches *b, uint8_t *r, const struct trawl_field *f, uint32_t *len)
{
	static const char *const texts[] = { "", "a", "sh", "kworker/0:1", "a name that is long" };
	uint32_t n = below(b, 3) ? 0 : below(b, 40), at = *len;
	const char *text = texts[below(b, 5)];

	if (n) {
		for (uint32_t i = 0; i < n; i++)
			r[at + i] = (uint8_t)batches_random(b);
	} else {
		n = (uint32_t)strlen(text);
		memcpy(r + at, text, n);
	}
	*len += n;
	if (f->place == TRAWL_REL_LOC)
		at -= f->offset + 4u;
	if (f->place != TRAWL_TAIL)
		put32(r + f->offset, n << 16 | at);
}

/* Writes a record of type t to r; returns its length. */
static uint32_t make_record(struct batches *b, const struct trawl_event_type *t, uint64_t n,
			    uint64_t ts, uint8_t *r)
{
	uint32_t len = t->size + 4 * below(b, 2);

	if (t->nfields && t->fields[t->nfields - 1].place == TRAWL_TAIL)
		len = t->size;
	memset(r, 0xee, RECORD_MAX);
	r[2] = (uint8_t)below(b, 3);
	r[3] = 0;
	put32(r + 4, 1000 + below(b, 6));
	for (uint32_t k = 0; k < t->nfields; k++) {
		const struct trawl_field *f = &t->fields[k];

		if (f->place != TRAWL_FIXED) {
			put_dynamic(b, r, f, &len);
			continue;
		}
		for (uint32_t i = 0; f->size && i < f->count; i++) {
			uint64_t v = number(b, f->note[0] - '0', n, ts);

			if (f->kind == TRAWL_TEXT)
				v = i < below(b, 4) + 2u ? 'a' + below(b, 3) : 0;
			memcpy(r + f->offset + i * f->size, &v, f->size);
		}
	}
	return len;
}

static void break_record(struct batches *b, const struct trawl_event_type *t, uint8_t *r)
{
	for (uint32_t k = 0; k < t->nfields; k++)
		if (t->fields[k].place == TRAWL_DATA_LOC || t->fields[k].place == TRAWL_REL_LOC)
			put32(r + t->fields[k].offset, (uint32_t)batches_random(b) | 0x10000);
}

static void add_record(struct batches *b, const struct batch_event *e, const uint8_t *r)
{
	struct batch *a = &b->batch;

	if (a->used + e->len > a->size) {
		a->size = (a->used + e->len) * 2;
		a->bytes = realloc(a->bytes, a->size);
		if (!a->bytes)
			abort();
	}
	memcpy(a->bytes + a->used, r, e->len);
	a->events[a->count] = *e;
	a->events[a->count++].offset = (uint32_t)a->used;
	a->used += e->len;
}

void batches_fill(struct batches *b, uint32_t count, uint32_t cpus, uint32_t broken)
{
	uint64_t ts = 1000000000000ull;
	uint8_t r[RECORD_MAX];

	b->batch.events = realloc(b->batch.events, (count + 1) * sizeof(*b->batch.events));
	if (!b->batch.events)
		abort();
	b->batch.count = 0;
	b->batch.used = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct batch_event e = { .type = below(b, b->schema.ntypes),
					 .cpu = below(b, cpus) * 3 };

		ts += below(b, 8) ? (uint64_t)below(b, 5000) * b->source.resolution :
				    batches_random(b) >> 34;
		e.ts = ts;
		e.len = make_record(b, &b->types[e.type], i, ts, r);
		if (broken && !below(b, broken))
			break_record(b, &b->types[e.type], r);
		add_record(b, &e, r);
	}
}

/* Finds the bytes of a dynamic field in a record; false if they are not inside it. */
static bool find(const struct trawl_field *f, const uint8_t *r, uint32_t len, uint32_t *at,
		 uint32_t *n)
{
	uint32_t word;

	if (f->place == TRAWL_TAIL) {
		*at = f->offset;
		*n = len - f->offset;
		return true;
	}
	word = get32(r + f->offset);
	*n = word >> 16;
	*at = (word & 0xffff) + (f->place == TRAWL_REL_LOC ? f->offset + 4u : 0);
	return !*n || (uint64_t)*at + *n <= len;
}

static void copy_fixed(uint8_t *to, const uint8_t *r, const struct trawl_field *f, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (f[i].place == TRAWL_FIXED)
			memcpy(to + f[i].offset, r + f[i].offset, (size_t)f[i].size * f[i].count);
}

uint8_t *batches_expect(const struct batches *b, const struct batch_event *e, uint32_t *len)
{
	const struct trawl_event_type *t = b->list[e->type];
	const uint8_t *r = b->batch.bytes + e->offset;
	uint64_t total = t->size;
	bool whole = false;
	uint8_t *to;

	for (uint32_t k = 0; k < t->nfields; k++) {
		uint32_t at, n;

		if (t->fields[k].place == TRAWL_FIXED)
			continue;
		if (!find(&t->fields[k], r, e->len, &at, &n) ||
		    (t->fields[k].place != TRAWL_TAIL && total > 0xffff))
			whole = true;
		total += n;
	}
	whole |= total > e->len;
	*len = whole ? e->len : (uint32_t)total;
	to = calloc(1, *len + 1u);
	if (!to)
		abort();
	if (whole)
		return memcpy(to, r, e->len);
	copy_fixed(to, r, b->source.common, b->source.ncommon);
	copy_fixed(to, r, t->fields, t->nfields);
	total = t->size;
	for (uint32_t k = 0; k < t->nfields; k++) {
		const struct trawl_field *f = &t->fields[k];
		uint32_t at, n;

		if (f->place == TRAWL_FIXED || !find(f, r, e->len, &at, &n))
			continue;
		if (n)
			memcpy(to + total, r + at, n);
		if (f->place != TRAWL_TAIL)
			put32(to + f->offset,
			      n << 16 | ((uint32_t)total -
					 (f->place == TRAWL_REL_LOC ? f->offset + 4u : 0)));
		total += n;
	}
	return to;
}

uint8_t *batches_expand(const uint8_t *payload, size_t len, size_t *expanded)
{
	struct view in = { payload, payload + len, false }, section;
	ZSTD_DCtx *z = ZSTD_createDCtx();
	struct room room = { 0 };
	struct buf out = { 0 };

	buf_varint(&out, view_varint(&in));
	while (in.p < in.end) {
		if (!substream_get(&in, z, 64 << 20, &room, &section) ||
		    !substream_put(&out, NULL, NULL, section, NULL))
			abort();
	}
	free(room.p);
	ZSTD_freeDCtx(z);
	*expanded = out.len;
	return out.data;
}
