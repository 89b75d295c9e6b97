/* SPDX-License-Identifier: MIT */
/*
 * Decodes a chunk payload into columns. Payloads are untrusted: before a number sizes an allocation
 * or a read, it is checked against the limits that follow from the event count and the types.
 */
#include <stdlib.h>

#include "format/decodecolumns.h"
#include "format/loops.h"
#include "format/payload.h"
#include "format/substream.h"
#include "format/ticks.h"

enum {
	MAX_CLASSES = 65535,
	SPARE_MAX = 16, /* number of chunk_memory structs kept for reuse, unless they are huge */
	SPARE_MEMORY = 32 << 20,
};

struct chunk_decoder *chunk_decoder_new(void)
{
	struct chunk_decoder *d = calloc(1, sizeof(*d));
	const struct trawl_field row = PAYLOAD_ROW_FIELD;

	if (!d)
		return NULL;
	d->zstd = ZSTD_createDCtx();
	if (!d->zstd || !layout_init(&d->row, &row, 1, 0)) {
		chunk_decoder_free(d);
		return NULL;
	}
	return d;
}

bool chunk_decoder_ready(struct chunk_decoder **d, struct budget *b)
{
	if (!*d && (*d = chunk_decoder_new()))
		chunk_decoder_budget(*d, b);
	b->exhausted |= !*d;
	return *d;
}

void chunk_decoder_budget(struct chunk_decoder *d, struct budget *b)
{
	struct room *const rooms[] = {
		&d->string_room, &d->events_room, &d->delta_room, &d->derived_room,
		&d->table.memory,
		&d->table.columns, &d->common_table.memory, &d->common_table.columns,
	};

	d->budget = b;
	for (size_t i = 0; i < ARRAY_SIZE(rooms); i++)
		rooms[i]->budget = b;
	for (size_t i = 0; i < ARRAY_SIZE(d->substreams); i++)
		d->substreams[i].budget = b;
}

static void memory_free(struct chunk_memory *m)
{
	if (!m)
		return;
	arena_free(&m->arena);
	room_free(&m->data);
	free(m);
}

size_t chunk_memory_size(const struct chunk_memory *m)
{
	return m->arena.used;
}

void *chunk_memory_more(struct chunk_memory *m, size_t n, size_t size)
{
	m->arena.max += n * size; /* the limit is for memory that the file asks for */
	return arena_take(&m->arena, n, size);
}

struct chunk_memory *chunk_take(struct chunk_decoder *d)
{
	struct chunk_memory *m = d->chunk;

	d->chunk = NULL;
	return m;
}

void chunk_give_back(struct chunk_decoder *d, struct chunk_memory *m)
{
	if (m && (d->nspare == SPARE_MAX || m->arena.used > SPARE_MEMORY)) {
		memory_free(m);
	} else if (m) {
		m->next = d->spare;
		d->spare = m;
		d->nspare++;
	}
}

/* Prepares memory for the next chunk: that of the last one, unless the caller took it. */
static bool place_chunk(struct chunk_decoder *d)
{
	struct chunk_memory *m = d->chunk;

	if (!m && d->spare) {
		m = d->spare;
		d->spare = m->next;
		d->nspare--;
	} else if (!m) {
		m = calloc(1, sizeof(*m));
		if (!m)
			return false;
		m->arena.budget = m->data.budget = d->budget;
	}
	arena_reset(&m->arena);
	m->arena.max = CHUNK_MAX_MEMORY;
	memset(&m->decoded, 0, sizeof(m->decoded));
	d->chunk = m;
	return true;
}

void chunk_decoder_free(struct chunk_decoder *d)
{
	if (!d)
		return;
	for (uint32_t i = 0; i < d->ntypes; i++)
		layout_done(&d->types[i].layout);
	free(d->types);
	layout_done(&d->common);
	layout_done(&d->row);
	memory_free(d->chunk);
	while (d->spare) {
		struct chunk_memory *m = d->spare;

		d->spare = m->next;
		memory_free(m);
	}
	/* return it to the budget: a file may use many decoders, one after the other */
	for (size_t i = 0; i < ARRAY_SIZE(d->substreams); i++)
		room_free(&d->substreams[i]);
	room_free(&d->string_room);
	room_free(&d->events_room);
	room_free(&d->delta_room);
	room_free(&d->derived_room);
	table_free(&d->common_table);
	table_free(&d->table);
	ZSTD_freeDCtx(d->zstd);
	free(d);
}

/* ---- the source and its types ------------------------------------------------------------ */

static bool learn_source(struct chunk_decoder *d, const struct trawl_source *s)
{
	if (d->source == s)
		return true;
	d->source = NULL;
	layout_done(&d->common);
	if (!layout_init(&d->common, s->common, s->ncommon, UINT16_MAX))
		return false;
	d->pid_column = UINT32_MAX;
	d->common_end = 0;
	for (uint32_t i = d->common.ncolumns; i-- > 0;) {
		const struct layout_column *c = &d->common.columns[i];

		if (!c->string && c->kind == TRAWL_PID)
			d->pid_column = i;
		if (c->offset + c->size > d->common_end)
			d->common_end = c->offset + c->size;
	}
	d->source = s;
	return true;
}

/* Makes room for new types. The layout of a type is made when a chunk has events of it. */
static bool learn_types(struct chunk_decoder *d, const struct chunk_schema *s)
{
	void *p;

	if (s->ntypes <= d->ntypes)
		return true;
	p = realloc(d->types, s->ntypes * sizeof(*d->types));
	if (!p)
		return false;
	d->types = p;
	memset(d->types + d->ntypes, 0, (s->ntypes - d->ntypes) * sizeof(*d->types));
	d->ntypes = s->ntypes;
	return true;
}

static const struct layout *type_layout(struct chunk_decoder *d, uint32_t index)
{
	struct type_layout *t = &d->types[index];
	const struct trawl_event_type *type = d->schema->types[index];

	if (t->type != type) {
		layout_done(&t->layout);
		t->type = NULL;
		if (!layout_init(&t->layout, type->fields, type->nfields, type->size))
			return NULL;
		t->type = type;
	}
	return &t->layout;
}

/* ---- structure --------------------------------------------------------------------------- */

static bool get_streams(struct chunk_decoder *d, struct view *in)
{
	uint32_t left = d->events.count;
	uint64_t cpu = 0;

	d->nstreams = (uint32_t)view_varint_max(in, left);
	d->streams = arena_take(&d->chunk->arena, d->nstreams + 1, sizeof(*d->streams));
	if (!d->streams)
		return false;
	for (uint32_t i = 0; i < d->nstreams; i++) {
		uint64_t step = view_varint_max(in, UINT32_MAX - cpu);
		uint32_t n = (uint32_t)view_varint_max(in, left);

		cpu += step;
		if (in->bad)
			return column_breaks(&d->in, RULE_STRUCTURE);
		if (!n)
			return column_breaks(&d->in, RULE("Structure", "a stream has no events"));
		if (i && !step)
			return column_breaks(&d->in, RULE("Structure", "two streams have one CPU"));
		d->streams[i] = (struct trawl_stream){ (uint32_t)cpu, d->events.count - left, n };
		left -= n;
	}
	if (in->bad)
		return column_breaks(&d->in, RULE_STRUCTURE);
	return !left || column_breaks(&d->in, RULE("Structure",
						   "the streams have fewer events than the chunk"));
}

/* Reads the classes of a table; *left is the number of events that are not in a class yet. */
static bool get_classes(struct chunk_decoder *d, struct view *in, struct decode_table *t,
			uint32_t number, uint32_t *left)
{
	uint32_t n = t->nkeys ? (uint32_t)view_varint_max(in, *left) : 1;

	t->first_class = d->nclasses;
	t->nclasses = n;
	t->first = d->events.count - *left;
	if (in->bad)
		return column_breaks(&d->in, RULE_STRUCTURE);
	if (!n || n > *left)
		return column_breaks(&d->in, RULE("Structure", "a table or class has no events"));
	if (n > MAX_CLASSES - d->nclasses)
		return column_breaks(&d->in, RULE("Structure", "there are over 65,535 classes"));
	for (uint32_t i = 0; i < n; i++) {
		struct decode_class *c = &d->classes[d->nclasses++];

		c->table = number;
		c->left = (uint32_t)view_varint_max(in, *left);
		if (!c->left && !in->bad)
			return column_breaks(&d->in, RULE("Structure", "a class has no events"));
		d->class_count[d->nclasses - 1] = c->left;
		for (uint32_t k = 0; k < t->nkeys; k++)
			c->key[k] = unzigzag(view_varint(in));
		*left -= c->left;
		t->n += c->left;
	}
	return !in->bad || column_breaks(&d->in, RULE_STRUCTURE);
}

static bool get_table(struct chunk_decoder *d, struct view *in, uint32_t number, uint32_t *left)
{
	struct decode_table *t = &d->tables[number];
	uint64_t tag = view_varint(in);
	const struct layout *l;

	if (in->bad)
		return column_breaks(&d->in, RULE_STRUCTURE);
	if (tag / 2 >= d->schema->ntypes || !d->schema->types[tag / 2])
		return column_breaks(&d->in, RULE("Structure", "the type of a table is missing"));
	*t = (struct decode_table){ .type = (uint32_t)(tag / 2), .rows = tag % 2 };
	l = type_layout(d, t->type);
	if (!l)
		return false;
	if (d->common_end > l->size)
		return column_breaks(&d->in, RULE("Event type (3)",
						  "the common fields do not fit a table"));
	t->nkeys = (uint32_t)view_varint_max(in, t->rows ? 0 : DECODE_MAX_KEYS);
	for (uint32_t k = 0; k < t->nkeys; k++) {
		t->keys[k] = (uint32_t)view_varint(in);
		if (in->bad)
			return column_breaks(&d->in, RULE_STRUCTURE);
		if (t->keys[k] >= l->nnumbers || (k && t->keys[k] <= t->keys[k - 1]))
			return column_breaks(&d->in, RULE("Structure", "a key is no number column, "
							  "or not behind the one before it"));
	}
	return get_classes(d, in, t, number, left);
}

static bool get_tables(struct chunk_decoder *d, struct view *in)
{
	uint32_t left = d->events.count, most = (left < MAX_CLASSES ? left : MAX_CLASSES) + 1;

	d->ntables = (uint32_t)view_varint_max(in, left);
	d->nclasses = 0;
	d->tables = arena_take(&d->chunk->arena, d->ntables + 1, sizeof(*d->tables));
	d->classes = arena_take(&d->chunk->arena, most, sizeof(*d->classes));
	d->class_count = arena_take(&d->chunk->arena, most, sizeof(*d->class_count));
	if (!d->tables || !d->classes || !d->class_count)
		return false;
	for (uint32_t i = 0; i < d->ntables; i++)
		if (!get_table(d, in, i, &left))
			return false;
	d->events.nclasses = d->nclasses;
	d->events.class_count = d->class_count;
	if (in->bad)
		return column_breaks(&d->in, RULE_STRUCTURE);
	return !left || column_breaks(&d->in, RULE("Structure",
						   "the classes have fewer events than the chunk"));
}

static bool get_structure(struct chunk_decoder *d)
{
	struct view *in = &d->in.structure;

	d->base = view_varint(in);
	d->unit = view_varint(in);
	d->tick = d->payload_ticks ? view_varint(in) : 0;
	d->ncorrections = d->tick ? (uint32_t)view_varint_max(in, d->events.count) : 0;
	if (in->bad)
		return column_breaks(&d->in, RULE_STRUCTURE);
	if (d->tick && (d->unit != 1 || d->tick > (uint64_t)TICKS_LONGEST << TICKS_BITS))
		return column_breaks(&d->in, RULE("Ticks", "a tick is too long, or the unit not 1"));
	if (!get_streams(d, in) || !get_tables(d, in))
		return false;
	if (!string_table_get(in, &d->string_room, &d->nstrings))
		return in->bad && column_breaks(&d->in, RULE_STRUCTURE);
	d->strings = d->string_room.p;
	return true;
}

/* ---- order and time ---------------------------------------------------------------------- */

/* Reads the sequence: sets each event's place in class order and its number in its table. */
LOOPS static bool get_sequence(struct chunk_decoder *d)
{
	uint32_t n = d->events.count, *next = arena_take(&d->chunk->arena, d->nclasses + 1, 4);
	uint32_t *rank = arena_take(&d->chunk->arena, (size_t)n + 1, 4);
	uint32_t *group_of = arena_take(&d->chunk->arena, (size_t)n + 1, 4), at = 0;
	const uint8_t *low = NULL, *high = NULL;

	if (!next || !rank || !group_of)
		return false;
	if ((d->nclasses > 1 && !(low = view_bytes(&d->in.codes, n))) ||
	    (d->nclasses > 256 && !(high = view_bytes(&d->in.codes, n))))
		return column_breaks(&d->in, RULE_SHORT("codes"));
	for (uint32_t c = 0; c < d->nclasses; at += d->class_count[c++])
		next[c] = at;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t c = (low ? low[i] : 0) | (high ? high[i] << 8 : 0);
		struct decode_table *t;

		if (c >= d->nclasses || d->classes[c].left == 0)
			return column_breaks(&d->in, RULE("Sequence and time", "an event is of no "
							  "class, or of one that has no more"));
		d->classes[c].left--;
		at = next[c]++;
		t = &d->tables[d->classes[c].table];
		d->events.class_of[i] = (uint16_t)c;
		d->position[i] = at;
		d->events.number[at] = i;
		d->order[t->first + t->listed] = at - t->first;
		rank[i] = t->listed++;
		group_of[i] = d->classes[c].table;
	}
	events_before(&d->events);
	d->chunk->decoded.rank = rank;
	d->chunk->decoded.chunk.group_of = group_of;
	return true;
}

/* The two destinations of a time: by event in chunk order, and by table. */
struct times {
	uint64_t *ts, *table_ts;
	const uint32_t *group_of, *rank;
	const struct decode_table *tables;
};

static struct times times_of(const struct chunk_decoder *d, const struct decoded *c)
{
	return (struct times){ d->events.ts, d->ts, c->chunk.group_of, c->rank, d->tables };
}

static inline void put_time(const struct times *t, uint32_t i, uint64_t ts)
{
	t->ts[i] = ts;
	t->table_ts[t->tables[t->group_of[i]].first + t->rank[i]] = ts;
}

LOOPS static void times_in_units(struct chunk_decoder *d, const uint64_t *delta)
{
	const struct times t = times_of(d, &d->chunk->decoded);
	const uint32_t *position = d->position;
	uint64_t unit = d->unit;

	for (uint32_t s = 0; s < d->nstreams; s++) {
		uint32_t i = d->streams[s].first, end = i + d->streams[s].count;

		for (uint64_t ts = d->base; i < end; i++) {
			ts += delta[position[i]] * unit;
			put_time(&t, i, ts);
		}
	}
}

LOOPS static bool times_in_ticks(struct chunk_decoder *d, const uint64_t *ticks)
{
	const struct times t = times_of(d, &d->chunk->decoded);
	const uint32_t *position = d->position;
	uint64_t length = d->tick;
	uint32_t n = d->ncorrections, k = 0;
	const uint8_t *gap_codes = view_bytes(&d->in.codes, n);
	const uint8_t *codes = view_bytes(&d->in.codes, n);
	uint64_t *gap = arena_take(&d->chunk->arena, (size_t)n + 1, sizeof(*gap)), next;
	uint64_t *correction = arena_take(&d->chunk->arena, (size_t)n + 1, sizeof(*correction));

	if (!gap || !correction || !column_buckets(&d->in, gap_codes, n, gap) ||
	    !column_buckets(&d->in, codes, n, correction))
		return false;
	gap[n] = UINT32_MAX;
	next = gap[0];
	for (uint32_t s = 0; s < d->nstreams; s++) {
		uint32_t i = d->streams[s].first, end = i + d->streams[s].count;
		uint64_t fraction = TICKS_HALF;

		for (uint64_t ts = d->base; i < end; i++) {
			ts += ticks_ns(length, ticks[position[i]], &fraction);
			if (i == next) {
				ts += unzigzag(correction[k]);
				fraction = ticks_corrected((int64_t)unzigzag(correction[k++]));
				next = gap[k] < d->events.count ? i + 1 + gap[k] : UINT64_MAX;
			}
			put_time(&t, i, ts);
		}
	}
	return k == n || column_breaks(&d->in, RULE("Ticks", "a correction is behind the events"));
}

LOOPS static bool get_times(struct chunk_decoder *d)
{
	uint32_t n = d->events.count;
	const uint8_t *codes = view_bytes(&d->in.codes, n);
	uint64_t *delta = room_for(&d->delta_room, ((size_t)n + 1) * sizeof(*delta));
	uint64_t first = UINT64_MAX, last = 0;

	d->ts = arena_take(&d->chunk->arena, (size_t)n + 1, sizeof(*d->ts));
	if (!delta || !d->ts || !column_buckets(&d->in, codes, n, delta))
		return false;
	for (uint32_t i = 0; d->back && i < n; i++)
		delta[i] = unzigzag(delta[i]);
	if (!d->tick)
		times_in_units(d, delta);
	else if (!times_in_ticks(d, delta))
		return false;
	for (const uint64_t *p = d->events.ts; p < d->events.ts + n; p++) {
		first = *p < first ? *p : first;
		last = *p > last ? *p : last;
	}
	d->chunk->decoded.chunk.first = first;
	d->chunk->decoded.chunk.last = last;
	return true;
}

/* ---- the whole --------------------------------------------------------------------------- */

/* Returns how many numbers all columns have: an upper bound of codes and of literals. */
static uint64_t count_numbers(const struct chunk_decoder *d)
{
	uint64_t n = (uint64_t)d->events.count * (d->common.ncolumns + 1);

	for (uint32_t i = 0; i < d->ntables; i++) {
		const struct decode_table *t = &d->tables[i];

		n += (uint64_t)t->n * (t->rows ? 1 : d->types[t->type].layout.ncolumns);
	}
	return n;
}

/* Reads the next substream. most: of its bytes; rule: what is broken if it cannot be read. */
static bool get_substream(struct chunk_decoder *d, struct view *in, uint64_t most,
			  struct room *room, struct view *out, const char *rule)
{
	if (substream_get(in, d->zstd, most, room, out))
		return true;
	return in->bad && column_breaks(&d->in, rule);
}

#define RULE_SUBSTREAM(name) RULE("Numbers and substreams", \
				  "the substream " name " is cut, too long, or does not expand")

static bool get_substreams(struct chunk_decoder *d, struct view *in)
{
	struct column_input *v = &d->in;
	uint64_t numbers = count_numbers(d), n = d->events.count;

	if (numbers > TABLE_MAX_NUMBERS)
		return column_breaks(v, RULE("Bounds", "there are over 16,777,216 numbers"));
	if (!get_substream(d, in, 2 * numbers + 4 * n, &d->substreams[1], &v->codes,
			   RULE_SUBSTREAM("codes")) ||
	    !get_substream(d, in, 8 * numbers, &d->substreams[2], &v->literals,
			   RULE_SUBSTREAM("literals")) ||
	    !get_substream(d, in, 9 * numbers + 16 * n, &d->substreams[3], &v->bits,
			   RULE_SUBSTREAM("bits")) ||
	    !get_substream(d, in, CHUNK_MAX_BYTES, &d->chunk->data, &v->data,
			   RULE_SUBSTREAM("data")))
		return false;
	return in->p == in->end ||
	       column_breaks(v, RULE("Chunk payload", "bytes follow the substream data"));
}

static bool get_events(struct chunk_decoder *d, uint32_t count)
{
	size_t n = ((size_t)count + 8) & ~(size_t)7;
	uint8_t *p = room_for(&d->events_room, n * (8 + 4 * 4 + 2));

	if (!p)
		return false;
	d->events = (struct events){ .count = count, .ts = (uint64_t *)(void *)p,
				     .number = (uint32_t *)(void *)(p + n * 8),
				     .before = (uint32_t *)(void *)(p + n * 12),
				     .class_of = (uint16_t *)(void *)(p + n * 24) };
	d->position = (uint32_t *)(void *)(p + n * 16);
	d->order = d->position + n;
	return true;
}

/* Whether all substreams were read to their end: the format allows no other bytes. */
static bool all_used(struct column_input *v)
{
#define RULE_LONG(name) RULE("Chunk payload", "the substream " name " has more bytes than it must")
	const struct {
		const struct view *view;
		const char *rule;
	} all[] = {
		{ &v->structure, RULE_LONG("structure") }, { &v->codes, RULE_LONG("codes") },
		{ &v->literals, RULE_LONG("literals") }, { &v->bits, RULE_LONG("bits") },
		{ &v->data, RULE_LONG("data") },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i].view->p != all[i].view->end)
			return column_breaks(v, all[i].rule);
	return true;
}

static bool decode(struct chunk_decoder *d, const struct chunk_payload *p)
{
	struct trawl_chunk *c = &d->chunk->decoded.chunk;
	struct view in = { p->data, p->data + p->len, false };
	uint64_t version = view_varint(&in);

	d->back = version == PAYLOAD_BACK;
	d->payload_ticks = version >= PAYLOAD_TICKS;
	if (p->count > CHUNK_MAX_EVENTS)
		return column_breaks(&d->in, RULE("Bounds", "there are over 1,048,576 events"));
	if (version < PAYLOAD_FORMAT || version > PAYLOAD_NEWEST)
		return column_breaks(&d->in, RULE("Chunk payload", "the version is not 2, 3 or 4"));
	if (!get_substream(d, &in, PAYLOAD_MAX_STRUCTURE, &d->substreams[0], &d->in.structure,
			   RULE_SUBSTREAM("structure")) ||
	    !get_events(d, p->count) || !get_structure(d) || !get_substreams(d, &in) ||
	    !get_sequence(d) || !get_times(d) || !decode_common(d) || !decode_groups(d) ||
	    !all_used(&d->in))
		return false;
	c->source = d->source;
	c->count = p->count;
	c->nstreams = d->nstreams;
	c->streams = d->streams;
	return true;
}

int chunk_decode(struct chunk_decoder *d, const struct chunk_schema *schema,
		 const struct chunk_payload *p, const struct trawl_chunk **chunk,
		 struct trawl_error *err)
{
	bool ok;

	d->schema = schema;
	d->in.broken = NULL;
	ok = place_chunk(d) && learn_source(d, schema->source) && learn_types(d, schema) &&
	     decode(d, p);
	if (ok) {
		*chunk = &d->chunk->decoded.chunk;
		return 0;
	}
	if (!d->in.broken && d->chunk && d->chunk->arena.full)
		column_breaks(&d->in, RULE("Bounds", "its columns take over 256 MiB"));
	if (!d->in.broken)
		return trawl_fail(err, TRAWL_CANNOT, "chunk of %u events: out of memory", p->count);
	return trawl_fail(err, TRAWL_BAD_DATA, "chunk of %u events: %s", p->count, d->in.broken);
}
