/* SPDX-License-Identifier: MIT */
/* Encodes a batch as a chunk payload. */
#include <stdlib.h>
#include <zstd.h>

#include "format/grouping.h"
#include "format/memory.h"
#include "format/bucket.h"
#include "format/loops.h"
#include "format/payload.h"
#include "format/level.h"
#include "format/load.h"
#include "format/plan.h"
#include "format/substream.h"
#include "format/stringtable.h"
#include "format/ticks.h"

enum {
	DEFAULT_LEVEL = 1,
	STRING_SAMPLE = 256,
	STRING_LONG = 256,       /* bytes of a long string */
	LONG_SAMPLE = 64 << 10,  /* bytes of long strings that are searched for repetitions */
	BULK = 512,              /* average bytes of payload of an event from which it is bulk */
};

/* What the encoder keeps of an event type from chunk to chunk. */
struct type_state {
	const struct trawl_event_type *type;
	struct grouping_type a; /* first: grouping_make() gets pointers to it */
	struct plan *plans;    /* of each column */
};

struct chunk_encoder {
	int level, bulk_level;
	bool back; /* a time in the chunk is earlier than the one before it in its stream */
	bool payload_ticks; /* the chunk uses features of PAYLOAD_TICKS */
	ZSTD_CCtx *zstd;
	struct planner planner;
	struct predictors predictors;
	struct type_state **types;
	struct grouping_type **grouping_types;
	uint32_t ntypes;
	struct layout common, row;
	struct plan *common_plans, row_plan;
	const struct trawl_source *source;
	uint32_t pid_column; /* of common; UINT32_MAX: none */
	struct grouping order;
	struct ticks ticks;
	bool in_ticks; /* the chunk's times */
	struct room derived, class_table, streams; /* see struct events */
	struct table common_table, table;
	struct string_table strings;
	struct room values; /* of a string column */
	struct loader loader;
	struct marks code_marks, literal_marks, data_marks;
	struct column_sink sink;
	struct buf structure, payload;
};

struct chunk_encoder *chunk_encoder_new(int level)
{
	struct chunk_encoder *e = calloc(1, sizeof(*e));
	const struct trawl_field row = PAYLOAD_ROW_FIELD;

	if (!e)
		return NULL;
	e->level = e->bulk_level = level ? level : DEFAULT_LEVEL;
	e->zstd = ZSTD_createCCtx();
	if (!e->zstd || !layout_init(&e->row, &row, 1, 0) ||
	    !planner_init(&e->planner, e->zstd, &e->predictors, level)) {
		chunk_encoder_free(e);
		return NULL;
	}
	return e;
}

static void type_state_free(struct type_state *t)
{
	if (!t)
		return;
	layout_done(&t->a.layout);
	free(t->plans);
	free(t);
}

void chunk_encoder_free(struct chunk_encoder *e)
{
	if (!e)
		return;
	for (uint32_t i = 0; i < e->ntypes; i++)
		type_state_free(e->types[i]);
	free(e->types);
	free(e->grouping_types);
	layout_done(&e->common);
	layout_done(&e->row);
	free(e->common_plans);
	grouping_free(&e->order);
	table_free(&e->common_table);
	table_free(&e->table);
	string_table_free(&e->strings);
	planner_free(&e->planner);
	free(e->values.p);
	free(e->derived.p);
	free(e->class_table.p);
	free(e->streams.p);
	free(e->ticks.memory.p);
	loader_free(&e->loader);
	free(e->code_marks.at);
	free(e->literal_marks.at);
	free(e->data_marks.at);
	buf_free(&e->sink.structure);
	buf_free(&e->sink.codes);
	buf_free(&e->sink.literals);
	buf_free(&e->sink.bits);
	buf_free(&e->sink.data);
	buf_free(&e->structure);
	buf_free(&e->payload);
	ZSTD_freeCCtx(e->zstd);
	free(e);
}

void chunk_encoder_bulk(struct chunk_encoder *e, int level)
{
	e->bulk_level = level ? level : DEFAULT_LEVEL;
}

bool chunk_encoder_was_bulk(const struct chunk_encoder *e)
{
	return e->sink.data.len / BULK >= e->order.events.count;
}

/* ---- the source and its types -------------------------------------------------------------- */

static int learn_source(struct chunk_encoder *e, const struct trawl_source *s)
{
	if (e->source == s)
		return 0;
	e->source = NULL;
	layout_done(&e->common);
	free(e->common_plans);
	e->common_plans = NULL;
	/* trawl_writer_event_type() has checked that every record has the common fields. */
	if (!layout_init(&e->common, s->common, s->ncommon, UINT16_MAX))
		return -1;
	e->common_plans = calloc(e->common.ncolumns + 1, sizeof(*e->common_plans));
	if (!e->common_plans)
		return -1;
	e->pid_column = UINT32_MAX;
	for (uint32_t i = e->common.nnumbers; i-- > 0;)
		if (e->common.columns[i].kind == TRAWL_PID)
			e->pid_column = i;
	e->source = s;
	return 0;
}

static struct type_state *new_type(const struct trawl_event_type *type)
{
	struct type_state *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->type = type;
	if (!grouping_type_init(&t->a, type))
		goto fail;
	t->plans = calloc(t->a.layout.ncolumns + 1, sizeof(*t->plans));
	if (!t->plans)
		goto fail;
	return t;
fail:
	type_state_free(t);
	return NULL;
}

static int learn_types(struct chunk_encoder *e, const struct chunk_schema *s)
{
	if (s->ntypes > e->ntypes) {
		void *p = realloc(e->types, s->ntypes * sizeof(*e->types));
		void *q = p ? realloc(e->grouping_types, s->ntypes * sizeof(*e->grouping_types)) :
			      NULL;

		if (p)
			e->types = p;
		if (!q)
			return -1;
		e->grouping_types = q;
	}
	for (uint32_t i = 0; i < s->ntypes; i++) {
		if (i < e->ntypes && e->types[i]->type == s->types[i])
			continue;
		if (i < e->ntypes)
			type_state_free(e->types[i]);
		e->types[i] = new_type(s->types[i]);
		if (!e->types[i]) {
			/* Types after it are learnt again with the next chunk. */
			for (uint32_t k = i + 1; k < e->ntypes; k++)
				type_state_free(e->types[k]);
			e->ntypes = i;
			return -1;
		}
		e->grouping_types[i] = &e->types[i]->a;
		if (i >= e->ntypes)
			e->ntypes = i + 1;
	}
	return 0;
}

/* ---- columns --------------------------------------------------------------------------- */

static void mark(struct marks *m, size_t at)
{
	if (!array_reserve(m->at, m->cap, m->n + 1))
		return; /* failure to mark only makes compression a little worse */
	m->at[m->n++] = (uint32_t)at;
}

static void put_number(struct chunk_encoder *e, struct table *t, uint32_t column,
		       struct plan *plan, bool common)
{
	uint32_t literals;

	if (column_uses_ref(&plan->plan) && !table_can_refer(t, column, plan->plan.ref))
		/* the plan was chosen for a chunk with REF_FOLLOWING */
		memset(plan, 0, sizeof(*plan));
	plan_column(&e->planner, t, plan, column, common);
	if (column_uses_ref(&plan->plan))
		table_derive(t, plan->plan.ref);
	mark(&e->code_marks, e->sink.codes.len);
	mark(&e->literal_marks, e->sink.literals.len);
	literals = column_encode(t, column, &plan->plan, &e->predictors, &e->sink);
	plan_result(plan, literals, t->n);
	e->payload_ticks |= plan->plan.ref >= t->layout->ncolumns && column_uses_ref(&plan->plan);
}

/* Most columns of most tables are constant. */
static void put_constant(struct chunk_encoder *e, uint64_t value, struct plan *plan)
{
	plan->chunks++;
	column_constant(value, &e->sink);
}

/* Removes the NULs at the end of a FIXED string. */
static struct string trimmed(struct string s)
{
	while (s.len && !s.p[s.len - 1])
		s.len--;
	return s;
}

static bool same_string(struct string a, struct string b)
{
	return a.len == b.len && (!a.len || a.p == b.p || same_few(a.p, b.p, a.len));
}

/*
 * Replaces strings by their numbers in the string table if they repeat: half of a sample, and after
 * it three quarters of the bytes of long strings. Returns false if they do not repeat or are too
 * many. *same: all strings are equal.
 */
static bool number_strings(struct chunk_encoder *e, const struct string *v, uint32_t n, bool fixed,
			   uint64_t *number, bool *same)
{
	uint32_t before = e->strings.count;
	size_t bytes = 0, new_bytes = 0; /* of long ones */
	struct string last = { 0 };

	*same = true;
	for (uint32_t i = 0; i < n; i++) {
		struct string s = fixed ? trimmed(v[i]) : v[i];
		uint32_t known = e->strings.count;

		if (i == STRING_SAMPLE && known - before > STRING_SAMPLE / 2)
			goto fail;
		bytes += s.len > STRING_LONG ? s.len : 0;
		if (i && same_string(s, last)) {
			number[i] = number[i - 1];
			continue;
		}
		*same = !i;
		last = s;
		number[i] = string_table_number(&e->strings, s);
		if (s.len > STRING_LONG && e->strings.count > known)
			new_bytes += s.len;
		if (number[i] == UINT32_MAX || new_bytes > LONG_SAMPLE + bytes / 4)
			goto fail;
	}
	return true;
fail:
	string_table_forget(&e->strings, before);
	return false;
}

/* Marks where each class's payload begins: the data of one endpoint has its own statistics. */
static void put_data(struct chunk_encoder *e, const struct table *t, const struct string *v,
		     uint64_t *length)
{
	struct buf *out = &e->sink.data;
	uint32_t i = 0;

	for (uint32_t c = 0, end = 0; c < t->nclasses; c++) {
		mark(&e->data_marks, out->len);
		for (end += t->class_count[c]; i < end; i++) {
			length[i] = v[i].len;
			if (!v[i].len || !buf_reserve(out, v[i].len))
				continue;
			copy_few(out->data + out->len, v[i].p, v[i].len);
			out->len += v[i].len;
		}
	}
}

static bool put_string(struct chunk_encoder *e, struct table *t, uint32_t column,
		       const uint8_t *const *row, struct plan *plans)
{
	const struct layout_column *c = &t->layout->columns[column];
	struct string *v = room_for(&e->values, t->n * sizeof(*v));
	bool fixed = c->place == TRAWL_FIXED, same;

	if (!v)
		return false;
	load_strings(t, c, row, &e->order, v);
	if (number_strings(e, v, t->n, fixed, t->value[column], &same)) {
		buf_u8(&e->sink.structure, STRING_NUMBERED);
		if (same && t->n) {
			put_constant(e, t->value[column][0], &plans[column]);
			return true;
		}
	} else {
		buf_u8(&e->sink.structure, STRING_PLAIN);
		put_data(e, t, v, t->value[column]);
		if (fixed)
			return true;
	}
	put_number(e, t, column, &plans[column], false);
	return true;
}

/* Encodes all columns of a table with the records row[0] ...; a NULL: the common fields. */
static bool put_columns(struct chunk_encoder *e, struct table *t, const struct grouping_table *a,
			const uint8_t *const *row, struct plan *plans)
{
	const struct layout *l = t->layout;
	const uint8_t *load;

	load = loader_choose(&e->loader, t, a, row, plan_refers_to_any(&e->planner),
			     a ? UINT32_MAX : e->pid_column);
	if (!load)
		return false;
	plan_table(&e->planner);
	load_numbers(t, row, load);
	for (uint32_t c = 0; c < l->nnumbers; c++) {
		if (a && grouping_is_key(a, c))
			continue;
		if (load[c] == LOAD_EACH || !t->n)
			put_number(e, t, c, &plans[c], !a);
		else
			put_constant(e, t->value[c][0], &plans[c]);
	}
	for (uint32_t c = l->nnumbers; c < l->ncolumns; c++)
		if (!put_string(e, t, c, row, plans))
			return false;
	return true;
}

/* Prepares the numbers that columns can refer to besides columns (REF_FOLLOWING, REF_ELAPSED). */
static bool derive(struct chunk_encoder *e)
{
	struct grouping *o = &e->order;
	uint64_t *memory = room_for(&e->derived, ((size_t)o->events.count * REFS_DERIVED +
						  o->ntables) * sizeof(*memory));
	uint32_t *table = room_for(&e->class_table, o->events.nclasses * sizeof(*table));
	struct trawl_stream *streams = room_for(&e->streams, o->nstreams * sizeof(*streams));

	if (!memory || !table || !streams)
		return false;
	for (uint32_t i = 0, first = 0; i < o->nstreams; first += o->streams[i++].count)
		streams[i] = (struct trawl_stream){ o->streams[i].cpu, first, o->streams[i].count };
	for (uint32_t i = 0; i < o->ntables; i++)
		for (uint32_t c = 0; c < o->tables[i].nclasses; c++)
			table[o->tables[i].first_class + c] = i;
	events_derive(&o->events, streams, o->nstreams, table, o->ntables, memory);
	return true;
}

static bool put_common(struct chunk_encoder *e)
{
	struct grouping *o = &e->order;
	struct table *t = &e->common_table;

	if (!table_init(t, &e->common, o->events.count))
		return false;
	table_of_all(t, &o->events);
	if (!put_columns(e, t, NULL, o->record, e->common_plans))
		return false;
	o->events.pid = e->pid_column == UINT32_MAX ? NULL : t->value[e->pid_column];
	return e->level < CHUNK_ALL_LEVEL || e->back || derive(e);
}

static bool put_table(struct chunk_encoder *e, const struct grouping_table *a)
{
	struct type_state *type = e->types[a->type];
	struct table *t = &e->table;

	if (!table_init(t, a->rows ? &e->row : &type->a.layout, a->n))
		return false;
	table_of(t, &e->order.events, a->first, a->first_class, a->nclasses);
	return put_columns(e, t, a, e->order.row + a->first,
			   a->rows ? &e->row_plan : type->plans);
}

/* ---- sequence and time ------------------------------------------------------------------ */

static void put_sequence(struct chunk_encoder *e)
{
	const struct grouping *o = &e->order;
	uint32_t n = o->events.count;
	struct buf *out = &e->sink.codes;

	for (unsigned int shift = 0; shift < 16 && (o->events.nclasses - 1) >> shift; shift += 8) {
		mark(&e->code_marks, out->len);
		if (!buf_reserve(out, n))
			return;
		for (uint32_t i = 0; i < n; i++)
			out->data[out->len + i] = (uint8_t)(o->events.class_of[i] >> shift);
		out->len += n;
	}
}

/* Divides all numbers by unit if none leaves a remainder; else returns false. */
static inline __attribute__((always_inline)) bool divide(uint64_t *v, uint32_t n, uint64_t unit)
{
	for (uint32_t i = 0; i < n; i++)
		if (v[i] % unit)
			return false;
	for (uint32_t i = 0; i < n; i++)
		v[i] /= unit;
	return true;
}

/*
 * Divides the differences of time stamps by the clock's resolution, if none leaves a remainder.
 * Returns the unit that they are in now, ns. A resolution of 1000 is frequent, and a division by a
 * constant compiles to a multiplication.
 */
static uint64_t take_unit(const struct chunk_encoder *e, uint64_t *delta, uint32_t n)
{
	uint64_t unit = e->source->resolution;

	if (unit < 2 || !(unit == 1000 ? divide(delta, n, 1000) : divide(delta, n, unit)))
		return 1;
	return unit;
}

/* If a clock went back, zigzag-encodes the differences, so that small ones are small numbers. */
static uint64_t fold_times(struct chunk_encoder *e, uint64_t *delta, uint32_t n)
{
	uint64_t unit = e->source->resolution;

	for (uint32_t i = 0; i < n && unit > 1; i++)
		if ((int64_t)delta[i] % (int64_t)unit)
			unit = 1;
	for (uint32_t i = 0; i < n; i++)
		delta[i] = zigzag((uint64_t)((int64_t)delta[i] / (int64_t)(unit ? unit : 1)));
	e->back = true;
	return unit ? unit : 1;
}

static bool went_back(const uint64_t *delta, uint32_t n)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < n; i++)
		any |= delta[i];
	return any >> 63;
}

static void use_ticks(struct chunk_encoder *e)
{
	const struct grouping *o = &e->order;

	e->in_ticks = ticks_encode(&e->ticks, o);
	for (uint32_t i = 0; e->in_ticks && i < o->events.count; i++)
		o->delta[i] = e->ticks.number[o->events.number[i]];
	e->payload_ticks |= e->in_ticks;
}

static uint64_t put_times(struct chunk_encoder *e)
{
	const struct grouping *o = &e->order;
	struct ticks *t = &e->ticks;
	uint32_t n = o->events.count, at = 0;
	uint64_t unit = went_back(o->delta, n) ? fold_times(e, o->delta, n)
					       : take_unit(e, o->delta, n);

	if (e->level >= CHUNK_ALL_LEVEL && !e->back && unit == 1)
		use_ticks(e);

	for (uint32_t c = 0; c < o->events.nclasses; at += o->class_count[c++])
		mark(&e->code_marks, e->sink.codes.len + at);
	bucket_encode(o->delta, n, &e->sink.codes, &e->sink.bits);
	if (e->in_ticks) {
		mark(&e->code_marks, e->sink.codes.len);
		bucket_encode(t->gap, t->ncorrections, &e->sink.codes, &e->sink.bits);
		bucket_encode(t->correction, t->ncorrections, &e->sink.codes, &e->sink.bits);
	}
	return unit;
}

/* ---- the whole ------------------------------------------------------------------------- */

static void put_structure(struct chunk_encoder *e, uint64_t unit)
{
	const struct grouping *o = &e->order;
	struct buf *out = &e->structure;
	uint32_t cpu = 0;

	buf_varint(out, o->first);
	buf_varint(out, unit);
	if (e->payload_ticks)
		buf_varint(out, e->in_ticks ? e->ticks.length : 0);
	if (e->in_ticks)
		buf_varint(out, e->ticks.ncorrections);
	buf_varint(out, o->nstreams);
	for (uint32_t i = 0; i < o->nstreams; i++) {
		buf_varint(out, o->streams[i].cpu - cpu);
		buf_varint(out, o->streams[i].count);
		cpu = o->streams[i].cpu;
	}
	buf_varint(out, o->ntables);
	for (uint32_t i = 0; i < o->ntables; i++) {
		const struct grouping_table *t = &o->tables[i];

		buf_varint(out, t->type * 2 + t->rows);
		buf_varint(out, t->nkeys);
		for (uint32_t k = 0; k < t->nkeys; k++)
			buf_varint(out, t->keys[k]);
		if (t->nkeys)
			buf_varint(out, t->nclasses);
		for (uint32_t c = t->first_class; c < t->first_class + t->nclasses; c++) {
			buf_varint(out, o->class_count[c]);
			for (uint32_t k = 0; k < t->nkeys; k++)
				buf_varint(out, zigzag(o->class_key[c * GROUPING_KEYS + k]));
		}
	}
	string_table_put(&e->strings, out);
	buf_put(out, e->sink.structure.data, e->sink.structure.len);
}

static bool put_payload(struct chunk_encoder *e)
{
	const bool hard = e->level >= CHUNK_ALL_LEVEL;
	/* Compresses these substreams as well as level 1, with tables that fit into the cache. */
	static const struct substream_way fast_codes = { 1, 5, 11, false },
					  fast_literals = { 1, 4, 13, false };
	const struct substream_way rest = {
		.level = e->level, .min_match = hard ? 3 : 0, .hard = hard,
	};
	/* Higher levels hardly compress codes better, so only literals get them. */
	const struct substream_way *codes = e->level > 4 ? &rest : &fast_codes;
	const struct substream_way *literals = e->level > 1 ? &rest : &fast_literals;
	const struct substream_way bulk = { .level = e->bulk_level, .hard = hard };
	bool is_bulk = chunk_encoder_was_bulk(e);
	const struct substream_way *data = !is_bulk ? &rest :
					 bulk.level != LEVEL_STORED ? &bulk : NULL;
	struct buf *out = &e->payload;
	struct column_sink *s = &e->sink;

	if (s->structure.failed || s->codes.failed || s->literals.failed || s->bits.failed ||
	    s->data.failed || e->structure.failed)
		return false;
	buf_varint(out, e->payload_ticks ? PAYLOAD_TICKS : e->back ? PAYLOAD_BACK : PAYLOAD_FORMAT);
	/* With marks zstd copies its input, which is too slow for bulk payload. */
	return substream_put(out, e->zstd, &rest, buf_view(&e->structure), NULL) &&
	       substream_put(out, e->zstd, codes, buf_view(&s->codes), &e->code_marks) &&
	       substream_put(out, e->zstd, literals, buf_view(&s->literals), &e->literal_marks) &&
	       substream_put(out, e->zstd, NULL, buf_view(&s->bits), NULL) &&
	       substream_put(out, e->zstd, data, buf_view(&s->data),
			     is_bulk ? NULL : &e->data_marks);
}

static void reset(struct chunk_encoder *e)
{
	struct buf *b[] = { &e->sink.structure, &e->sink.codes, &e->sink.literals, &e->sink.bits,
			    &e->sink.data, &e->structure, &e->payload };

	for (size_t i = 0; i < ARRAY_SIZE(b); i++) {
		b[i]->len = 0;
		b[i]->failed = false;
	}
	e->code_marks.n = e->literal_marks.n = e->data_marks.n = 0;
	e->back = e->payload_ticks = e->in_ticks = false;
}

static bool encode(struct chunk_encoder *e, const struct chunk_schema *schema,
		   const struct batch *b)
{
	uint64_t unit;

	reset(e);
	if (!string_table_reset(&e->strings) || learn_source(e, schema->source) ||
	    learn_types(e, schema) ||
	    !grouping_make(&e->order, b, e->grouping_types, schema->ntypes))
		return false;
	plan_chunk(&e->planner, b->count);
	put_sequence(e);
	unit = put_times(e);
	if (!put_common(e))
		return false;
	for (uint32_t i = 0; i < e->order.ntables; i++)
		if (!put_table(e, &e->order.tables[i]))
			return false;
	put_structure(e, unit);
	return put_payload(e);
}

int chunk_encode(struct chunk_encoder *e, const struct chunk_schema *schema, const struct batch *b,
		 struct chunk_payload *p, struct trawl_error *err)
{
	if (!encode(e, schema, b))
		return trawl_fail(err, TRAWL_CANNOT, "out of memory for a chunk");
	*p = (struct chunk_payload){
		.data = e->payload.data, .len = e->payload.len, .count = b->count,
		.first = e->order.first, .last = e->order.last,
	};
	return 0;
}
