/* SPDX-License-Identifier: MIT */
#include "decode/export/csv.h"
#include "decode/base/escape.h"
#include "decode/base/number.h"
#include "decode/base/printcache.h"
#include "common/array.h"

#include <stdlib.h>

struct column {
	bool used; /* some item has a value in this column */
	bool wide; /* some value exceeds INT64_MAX */
};

/* The numbers of the columns that items of an event type may have values in. */
struct type_columns {
	const struct trawl_event_type *type;
	size_t *column;
	size_t n;
};

struct csv {
	struct consumer consumer; /* must be first: a struct consumer is cast to its csv */
	struct out *out;
	const struct export_options *options;
	bool known; /* `used` and `wide` are known; false if the input is a pipe */
	struct columns names; /* owned by the export */
	struct column *columns; /* what is known of each */
	struct type_columns *types; /* filled by the survey */
	size_t ntypes;
	struct out name;  /* of name_cell() */
	struct out piece; /* cells that are about to be cached */
	struct print_caches cache;
	bool failed;
};

static const char *const fixed[] = {"ts_ns", "source", "name", "cpu", "pid", "tid", "comm"};
#define NFIXED ARRAY_SIZE(fixed)

/* ---- columns ------------------------------------------------------------------------------ */

/* Returns the number of the column, which is created if necessary; names.n if memory runs out. */
static size_t column(struct csv *c, const char *name, size_t n)
{
	struct columns *names = &c->names;
	char *copy;

	for (size_t i = 0; i < names->n; i++)
		if (!strncmp(names->name[i], name, n) && !names->name[i][n])
			return i;
	copy = strndup(name, n);
	if (copy && array_grow(c->columns, names->n) && array_grow(names->name, names->n)) {
		c->columns[names->n] = (struct column){0};
		names->name[names->n] = copy;
		return names->n++;
	}
	free(copy);
	c->failed = true;
	return names->n;
}

static void add_list(struct csv *c, const char *list)
{
	size_t n;

	for (; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (n)
			column(c, list, n);
	}
}

/* ---- the survey: a first pass that finds out what the columns contain ----------------------- */

struct survey {
	struct consumer consumer; /* must be first */
	struct csv *csv;
	struct type_columns *at; /* the type whose names add_type_column() receives */
};

static void add_type_column(void *arg, const char *name)
{
	struct survey *s = arg;
	struct type_columns *t = s->at;
	size_t i = column(s->csv, name, strlen(name));

	if (i == s->csv->names.n || !array_grow(t->column, t->n)) {
		s->csv->failed = true;
		return;
	}
	t->column[t->n++] = i;
}

static struct type_columns *columns_of(struct survey *s, const struct decoder *d, void *state,
				       const struct trawl_event_type *type)
{
	struct csv *c = s->csv;

	for (size_t i = c->ntypes; i-- > 0;)
		if (c->types[i].type == type)
			return &c->types[i];
	if (!array_grow(c->types, c->ntypes)) {
		c->failed = true;
		return NULL;
	}
	s->at = &c->types[c->ntypes++];
	*s->at = (struct type_columns){.type = type};
	d->names(state, type, add_type_column, s);
	return s->at;
}

static void note_value(struct column *col, const struct value *v)
{
	col->used |= v->type != VALUE_NONE;
	col->wide |= v->type == VALUE_UINT && v->u > INT64_MAX;
}

static int survey_item(struct consumer *consumer, const struct decoder *d, void *state,
		       const struct item *it)
{
	struct survey *s = (struct survey *)consumer;
	struct csv *c = s->csv;
	struct type_columns *t = it->type ? columns_of(s, d, state, it->type) : NULL;
	struct cell cell;

	if (d->cell) {
		for (size_t nth = 0; d->cell(state, it, &c->names, nth, &cell); nth++)
			note_value(&c->columns[cell.column], &cell.value);
		return c->failed;
	}
	for (size_t i = 0; t && i < t->n; i++)
		if (d->value(state, it, c->names.name[t->column[i]], &cell.value))
			note_value(&c->columns[t->column[i]], &cell.value);
	return c->failed;
}

static int survey(struct csv *c, struct stream *s, struct trawl_error *err)
{
	struct survey survey = {.consumer.item = survey_item, .csv = c};
	struct selection selection;
	struct stream *before = stream_again(s, &selection, err);
	int got = before ? stream_run(before, &survey.consumer, err) : -1;

	c->known = true;
	stream_close(before);
	for (size_t i = 0; i < c->ntypes; i++)
		free(c->types[i].column);
	free(c->types);
	return got;
}

/*
 * Keeps the first `requested` columns, which the user named, or, if there are none, all columns
 * with a value.
 */
static void drop_unused(struct csv *c, size_t requested)
{
	size_t n = 0;

	for (size_t i = 0; i < c->names.n; i++) {
		if (requested ? i < requested : c->columns[i].used) {
			c->names.name[n] = c->names.name[i];
			c->columns[n++] = c->columns[i];
		} else {
			free((void *)c->names.name[i]);
		}
	}
	c->names.n = n;
}

/* ---- cells -------------------------------------------------------------------------------- */

/* Writes a text; with no_formulas, text that a spreadsheet would evaluate gets a ' in front. */
static void text_cell(const struct csv *c, const char *text, size_t n, struct out *o)
{
	struct out safe;

	if (!c->options->no_formulas || !n || !memchr("=+-@\t\r", text[0], 6)) {
		out_csv(o, text, n);
		return;
	}
	out_memory(&safe);
	out_char(&safe, '\'');
	out_bytes(&safe, text, n);
	out_csv(o, safe.data, safe.error ? 0 : safe.len);
	out_free(&safe);
}

/* Writes a name, escaped so that it stays in one line, unlike text of the traced system. */
static void name_cell(struct csv *c, const char *name, size_t n, struct out *o)
{
	c->name.len = 0;
	out_safe(&c->name, name, n);
	text_cell(c, c->name.data, c->name.error ? 0 : c->name.len, o);
}

static void header(struct csv *c)
{
	size_t i, k;

	for (i = 0; i < NFIXED; i++) {
		if (i)
			out_char(c->out, ',');
		out_str(c->out, fixed[i]);
	}
	for (i = 0; i < c->names.n; i++) {
		const char *name = c->names.name[i];

		out_char(c->out, ',');
		for (k = 0; k < NFIXED; k++)
			if (!strcmp(fixed[k], name))
				out_str(c->out, "fields.");
		name_cell(c, name, strlen(name), c->out);
	}
	out_str(c->out, "\r\n");
}

static void unsigned_cell(const struct csv *c, const struct column *col, uint64_t v)
{
	if (!c->options->decimal && (c->known ? col->wide : v > INT64_MAX))
		out_hex(c->out, v);
	else
		out_u64(c->out, v);
}

static void value_cell(struct csv *c, const struct column *col, const struct value *v)
{
	struct out *o = c->out;

	switch (v->type) {
	case VALUE_UINT:
		unsigned_cell(c, col, v->u);
		break;
	case VALUE_INT:
		if (v->i < 0)
			out_s64(o, v->i);
		else
			unsigned_cell(c, col, v->u);
		break;
	case VALUE_FLOAT:
		out_double(o, v->f);
		break;
	case VALUE_TEXT:
		if (v->len == 1 && (unsigned char)*v->text >= 0x80)
			name_cell(c, v->text, 1, o); /* of a char: as in JSON */
		else
			text_cell(c, v->text, v->len, o);
		break;
	case VALUE_BYTES:
		if (v->len)
			out_hexbytes(o, v->text, v->len);
		else
			out_csv(o, "", 0);
		break;
	case VALUE_NONE:
		break;
	}
}

static void number(struct out *o, bool known, int64_t v)
{
	out_char(o, ',');
	if (known)
		out_s64(o, v);
}

static void put_cached(struct out *o, const struct print_cache *cached)
{
	out_used(o, print_cache_put(out_need(o, PRINT_CACHE_TEXT), cached));
}

/* Writes the source and the name. */
static void event_cells(struct csv *c, const struct item *it)
{
	struct print_cache *cached = print_cache_of_name(&c->cache, it);
	struct out *o = &c->piece;

	if (print_cache_is_name(cached, it, it->source->id)) {
		put_cached(c->out, cached);
		return;
	}
	o->len = 0;
	name_cell(c, it->source->name, strlen(it->source->name), o);
	out_char(o, ',');
	name_cell(c, it->name, it->name_len, o);
	print_cache_keep_name(cached, it, it->source->id, o->data, o->data + o->len);
	out_bytes(c->out, o->data, o->len);
}

/* Writes the CPU and the task. */
static void task_cells(struct csv *c, const struct item *it)
{
	struct print_cache *cached = print_cache_of_task(&c->cache, it);
	struct out *o = &c->piece;

	if (print_cache_is_task(cached, it)) {
		put_cached(c->out, cached);
		return;
	}
	o->len = 0;
	number(o, it->cpu != ITEM_NO_CPU, it->cpu);
	number(o, it->pid != ITEM_NO_TASK, it->pid);
	number(o, it->tid != ITEM_NO_TASK, it->tid);
	out_char(o, ',');
	if (it->comm_len)
		name_cell(c, it->comm, it->comm_len, o);
	print_cache_keep_task(cached, it, o->data, o->data + o->len);
	out_bytes(c->out, o->data, o->len);
}

/* Writes the columns that are not in every item, each with the comma before it. */
static void cells(struct csv *c, const struct decoder *d, void *state, const struct item *it)
{
	size_t written = 0;
	struct cell cell;

	if (d->cell) {
		for (size_t nth = 0; d->cell(state, it, &c->names, nth, &cell); nth++) {
			out_fill(c->out, ',', cell.column + 1 - written);
			written = cell.column + 1;
			value_cell(c, &c->columns[cell.column], &cell.value);
		}
		out_fill(c->out, ',', c->names.n - written);
		return;
	}
	for (size_t i = 0; i < c->names.n; i++) {
		out_char(c->out, ',');
		if (d->value(state, it, c->names.name[i], &cell.value))
			value_cell(c, &c->columns[i], &cell.value);
	}
}

static int csv_item(struct consumer *consumer, const struct decoder *d, void *state,
		    const struct item *it)
{
	struct csv *c = (struct csv *)consumer;
	struct out *o = c->out;

	out_u64(o, it->time);
	out_char(o, ',');
	event_cells(c, it);
	task_cells(c, it);
	cells(c, d, state, it);
	out_str(o, "\r\n");
	return o->error != 0;
}

/* ---- the export --------------------------------------------------------------------------- */

static int run(struct csv *c, struct stream *s, struct trawl_error *err)
{
	size_t requested;

	if (c->options->columns)
		add_list(c, c->options->columns);
	requested = c->names.n;
	if (!c->failed && stream_seekable(s) && survey(c, s, err))
		return -1;
	if (c->failed)
		return trawl_fail(err, TRAWL_CANNOT, "--to csv: out of memory");
	drop_unused(c, requested);
	header(c);
	return stream_run(s, &c->consumer, err);
}

int csv_export(const struct export_options *o, struct stream *s, struct out *out,
	       struct trawl_error *err)
{
	struct csv c = {.consumer.item = csv_item, .out = out, .options = o};
	int got;

	if (!o->columns && !stream_seekable(s))
		return trawl_fail(err, TRAWL_USAGE, "--to csv: the columns must be known before "
						    "the first line; give a file instead of a "
						    "pipe, or --fields a,b,c");
	if (o->columns && stream_seekable(s) &&
	    stream_known_fields(s, "--fields", o->columns, err))
		return -1;
	out_memory(&c.name);
	out_memory(&c.piece);
	got = run(&c, s, err);
	out_free(&c.name);
	out_free(&c.piece);
	for (size_t i = 0; i < c.names.n; i++)
		free((void *)c.names.name[i]);
	free(c.names.name);
	free(c.columns);
	if (!got && o->columns && !stream_seekable(s))
		got = stream_known_fields(s, "--fields", o->columns, err);
	return got;
}
