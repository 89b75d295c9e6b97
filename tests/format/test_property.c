/* SPDX-License-Identifier: MIT */
/*
 * Random schemas, random records, random order of sources and CPUs: the same events are read, in
 * time order, from a file, from a pipe, and chunk by chunk.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/reader.h"
#include "tests/format/sample.h"

enum { SOURCES = 3, TYPES = 4, CPUS = 5, FIELDS = 12, RECORD = 4096 };

struct schema {
	struct trawl_event_type type;
	struct trawl_field fields[FIELDS];
	char names[FIELDS][16], name[32];
};

/* A written event, with the record that a reader must return. */
struct expected {
	uint64_t ts;
	uint32_t source, cpu, type, len;
	uint32_t order;
	uint8_t *record;
};

struct world {
	uint64_t seed;
	struct schema types[SOURCES][TYPES];
	struct expected *events;
	uint32_t n;
	uint8_t *file;
	size_t len;
};

static uint32_t pick(struct world *w, uint32_t n)
{
	return (uint32_t)(sample_random(&w->seed) % n);
}

static void random_field(struct world *w, struct schema *s, uint32_t i, uint32_t *at)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8 };
	struct trawl_field *f = &s->fields[i];

	snprintf(s->names[i], sizeof(s->names[i]), "f%u", i);
	*f = (struct trawl_field){ .name = s->names[i], .ctype = "", .note = "" };
	f->kind = (uint8_t)pick(w, TRAWL_KINDS);
	f->place = pick(w, 4) ? TRAWL_FIXED : pick(w, 2) ? TRAWL_DATA_LOC : TRAWL_REL_LOC;
	f->size = sizes[pick(w, 4)];
	f->count = pick(w, 4) ? 1 : (uint16_t)pick(w, 5);
	if (f->kind == TRAWL_FLOAT)
		f->size = pick(w, 2) ? 4 : 8;
	if (f->kind == TRAWL_TEXT || f->kind == TRAWL_BYTES)
		f->size = 1, f->count = (uint16_t)pick(w, 20);
	if (f->kind == TRAWL_NONE)
		f->size = f->count = 0, f->place = TRAWL_FIXED;
	if (!pick(w, 6) && f->place == TRAWL_FIXED)
		f->flags = TRAWL_FIELD_KEY;
	*at += pick(w, 3); /* sometimes followed by bytes that no field covers */
	f->offset = (uint16_t)*at;
	*at += f->place == TRAWL_FIXED ? (uint32_t)f->size * f->count : 4;
}

static void random_schema(struct world *w, struct schema *s, uint32_t source, uint32_t id)
{
	uint32_t at = 8, n = pick(w, FIELDS);
	bool dynamic = false;

	for (uint32_t i = 0; i < n; i++) {
		random_field(w, s, i, &at);
		dynamic |= s->fields[i].place != TRAWL_FIXED;
	}
	at += pick(w, 5);
	if (!dynamic && n < FIELDS && pick(w, 2)) {
		s->fields[n] = (struct trawl_field){
			.name = "tail", .ctype = "", .note = "", .kind = TRAWL_BYTES,
			.place = TRAWL_TAIL, .offset = (uint16_t)at, .size = 1,
		};
		n++;
	}
	snprintf(s->name, sizeof(s->name), "p%u:t%u", source, id);
	s->type = (struct trawl_event_type){
		.source = (uint16_t)source, .id = id, .name = s->name, .format = "", .size = at,
		.nfields = n, .fields = s->fields,
	};
}

static void fill(struct world *w, uint8_t *p, size_t n)
{
	uint32_t how = pick(w, 4);

	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(how == 0 ? 0 : how == 1 ? 0xff : sample_random(&w->seed));
	if (how == 2 && n > 2)
		memset(p + 1, 0, n - 1);
}

/* Makes a record with its dynamic bytes in any order, and the record that must be returned. */
static size_t random_record(struct world *w, const struct schema *s, uint8_t *p, struct expected *e)
{
	size_t len = s->type.size, at = s->type.size;
	uint8_t *want = e->record = calloc(1, RECORD);

	fill(w, p, len);
	memcpy(want, p, 8); /* the common fields */
	for (uint32_t i = 0; i < s->type.nfields; i++) {
		const struct trawl_field *f = &s->fields[i];
		uint32_t n = pick(w, 3) ? pick(w, 40) : 0, base;

		if (f->place == TRAWL_FIXED) {
			n = (uint32_t)f->size * f->count;
			memcpy(want + f->offset, p + f->offset, n);
			continue;
		}
		if (f->place != TRAWL_TAIL && !pick(w, 10))
			len += pick(w, 9); /* a gap that is not stored */
		n -= n % f->size;
		base = f->place == TRAWL_REL_LOC ? f->offset + 4u : 0;
		fill(w, p + len, n);
		if (f->place != TRAWL_TAIL) {
			put32(p + f->offset, n << 16 | (uint32_t)(len - base));
			put32(want + f->offset, n << 16 | (uint32_t)(at - base));
		}
		memcpy(want + at, p + len, n);
		len += n;
		at += n;
	}
	e->len = (uint32_t)at;
	return len;
}

static int by_time(const void *a, const void *b)
{
	const struct expected *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static const struct trawl_field common[] = {
	{ "flags", "", "", TRAWL_HEX, TRAWL_FIXED, 0, 0, 1, 1 },
	{ "x", "", "", TRAWL_UINT, TRAWL_FIXED, 0, 1, 1, 3 },
	{ "pid", "", "", TRAWL_PID, TRAWL_FIXED, 0, 4, 4, 1 },
};

static struct trawl_writer *begin(struct world *w, int fd)
{
	struct trawl_writer_options o = { .chunk_events = 1 + pick(w, 200) };
	struct trawl_error err;
	struct trawl_writer *out = trawl_writer_new(fd, &o, &err);

	cr_assert(out);
	for (uint32_t i = 0; i < SOURCES; i++) {
		struct trawl_source s = {
			.name = "s", .spec = "", .kind = "tracefs", .clock = TRAWL_CLOCK_MONO,
			.linktype = 252, .resolution = 1, .ncommon = 3, .common = common,
		};

		cr_assert_eq(trawl_writer_source(out, &s, &err), (int)i);
		for (uint32_t k = 0; k < TYPES; k++) {
			random_schema(w, &w->types[i][k], i, k * 300 + 1);
			cr_assert_eq(trawl_writer_event_type(out, &w->types[i][k].type, &err), 0,
				     "%s", err.text);
		}
	}
	return out;
}

/*
 * Each stream has its own time, which runs at its own rate; a sync block is written when all
 * streams have passed its horizon, as a capture program ensures.
 */
static void write_world(struct world *w, uint32_t n)
{
	uint64_t now[SOURCES][CPUS], horizon = 1000;
	int fd = memfd_create("world", 0);
	struct trawl_writer *out = begin(w, dup(fd));
	struct trawl_sync sync = { .mono = 1000, .real = 5000, .horizon = 1000 };
	uint8_t record[RECORD];
	struct trawl_error err;

	for (uint32_t i = 0; i < SOURCES * CPUS; i++)
		now[i / CPUS][i % CPUS] = 1000 + pick(w, 50);
	cr_assert_eq(trawl_writer_sync(out, &sync, &err), 0);
	w->events = calloc(n, sizeof(*w->events));
	for (w->n = 0; w->n < n; w->n++) {
		struct expected *e = &w->events[w->n];
		struct schema *s;
		size_t len;

		e->order = w->n;
		e->source = pick(w, SOURCES);
		e->cpu = pick(w, CPUS);
		e->type = pick(w, TYPES);
		now[e->source][e->cpu] += pick(w, 30);
		e->ts = now[e->source][e->cpu];
		s = &w->types[e->source][e->type];
		len = random_record(w, s, record, e);
		cr_assert_eq(trawl_append(out,
					  &(struct trawl_record){(uint16_t)e->source, s->type.id,
								 e->cpu, e->ts, record, len},
					  &err),
			     0, "%s", err.text);
		if (pick(w, 50))
			continue;
		horizon = UINT64_MAX;
		for (uint32_t i = 0; i < SOURCES * CPUS; i++)
			if (now[i / CPUS][i % CPUS] < horizon)
				horizon = now[i / CPUS][i % CPUS];
		sync.mono = horizon + 500;
		sync.real = sync.mono + 4000;
		sync.horizon = horizon;
		cr_assert_eq(trawl_writer_sync(out, &sync, &err), 0);
	}
	cr_assert_eq(trawl_writer_close(out, &err), 0);
	qsort(w->events, w->n, sizeof(*w->events), by_time);
	w->len = (size_t)lseek(fd, 0, SEEK_END);
	w->file = malloc(w->len);
	cr_assert_eq(pread(fd, w->file, w->len, 0), (ssize_t)w->len);
	close(fd);
}

static void read_world(struct world *w, bool pipe)
{
	struct trawl_error err;
	struct trawl_reader *r = reader_memory(w->file, w->len, pipe, &err);
	struct trawl_verdict v;
	struct trawl_event ev;

	cr_assert(r);
	for (uint32_t i = 0; i < w->n; i++) {
		const struct expected *e = &w->events[i];

		cr_assert_eq(trawl_next(r, &ev, &err), 1);
		cr_assert_eq(ev.ts, e->ts, "event %u", i);
		cr_assert_eq(ev.time, e->ts + 4000);
		cr_assert_eq(ev.source->id, e->source, "event %u", i);
		cr_assert_eq(ev.cpu, e->cpu);
		cr_assert_str_eq(ev.type->name, w->types[e->source][e->type].name);
		cr_assert_eq(ev.len, e->len, "event %u: %u bytes, not %u", i, ev.len, e->len);
		cr_assert(!memcmp(ev.record, e->record, e->len), "event %u of seed", i);
	}
	cr_assert_eq(trawl_next(r, &ev, &err), 0);
	trawl_verdict(r, &v);
	cr_assert_str_eq(v.text, "complete");
	trawl_close(r);
}

/*
 * Compares time stamps and counts chunk by chunk; the values are in the same memory as those of
 * records.
 */
static void read_chunks(struct world *w, bool pipe)
{
	struct trawl_error err;
	struct trawl_reader *r = reader_memory(w->file, w->len, pipe, &err);
	const struct trawl_chunk *c;
	uint64_t sum = 0, want = 0, n = 0;

	cr_assert(r);
	for (uint32_t i = 0; i < w->n; i++)
		want += w->events[i].ts * (w->events[i].cpu + 1);
	while (trawl_next_chunk(r, &c, &err) == 1) {
		uint32_t *at = calloc(c->ngroups + 1, sizeof(*at));

		for (uint32_t s = 0; s < c->nstreams; s++)
			for (uint32_t k = 0; k < c->streams[s].count; k++) {
				uint32_t g = c->group_of[c->streams[s].first + k];

				sum += c->groups[g].ts[at[g]++] * (c->streams[s].cpu + 1);
				n++;
			}
		for (uint32_t g = 0; g < c->ngroups; g++)
			cr_assert_eq(at[g], c->groups[g].count);
		free(at);
	}
	cr_assert_eq(n, w->n);
	cr_assert_eq(sum, want);
	trawl_close(r);
}

/* Only the selected events are returned. */
static void read_range(struct world *w, uint64_t from, uint64_t to, uint32_t source)
{
	struct trawl_range range = { from + 4000, to + 4000, { 1u << source }, { 0 } };
	struct trawl_error err;
	struct trawl_reader *r = reader_memory(w->file, w->len, from & 1, &err);
	struct trawl_event ev;

	cr_assert(r);
	cr_assert_eq(trawl_select(r, &range, &err), 0);
	for (uint32_t i = 0; i < w->n; i++) {
		const struct expected *e = &w->events[i];

		if (e->ts < from || e->ts >= to || e->source != source)
			continue;
		cr_assert_eq(trawl_next(r, &ev, &err), 1);
		cr_assert_eq(ev.ts, e->ts);
		cr_assert_eq(ev.source->id, source);
		cr_assert(!memcmp(ev.record, e->record, e->len));
	}
	cr_assert_eq(trawl_next(r, &ev, &err), 0);
	trawl_close(r);
}

Test(property, what_goes_in_comes_out)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct world w = { .seed = seed };
		uint64_t from, to;

		write_world(&w, 1 + pick(&w, 1500));
		read_world(&w, false);
		read_world(&w, true);
		read_chunks(&w, false);
		read_chunks(&w, true);
		from = w.events[0].ts + pick(&w, 2000);
		to = from + pick(&w, 2000);
		read_range(&w, from, to, pick(&w, SOURCES));
		for (uint32_t i = 0; i < w.n; i++)
			free(w.events[i].record);
		free(w.events);
		free(w.file);
	}
}
