/* SPDX-License-Identifier: MIT */
#include "decode/export/shapes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "decode/base/escape.h"
#include "decode/base/number.h"

enum {
	SHAPE_KEYS = 256,   /* maximum number of fields of an event */
	SHAPES = 4000,
	/*
	 * text that waits to be compressed takes at most 1/WAITING_SHARE of the memory, as buffers
	 * double
	 */
	WAITING_SHARE = 8,
	/* all held text takes at most 1/HELD_SHARE of the memory */
	HELD_SHARE = 2,
	/*
	 * the text of a page is at most TEXT_TIMES the memory, as a browser decompresses all of it
	 */
	TEXT_TIMES = 2,
};

/* How the search reads the values of a field, in addition to their JSON. */
enum reading {
	READ_UNKNOWN, /* it had no value yet */
	READ_PLAIN,
	READ_BYTES,   /* JSON has the hex digits of bytes */
	READ_NUMBER,  /* JSON has a number as text */
	READ_ARRAY,   /* of numbers, which has no text */
};

/* A field of the events of a shape: its values as JSON, one a line. */
struct field_column {
	struct page_text json;
	struct page_text other; /* another name or number of each value, which the search takes; ""
				 * if there is none */
	uint64_t other_len;
	enum reading reading;
	bool ask;               /* whether a value may have another name */
};

/* Events with the same name and the same fields. */
struct shape {
	uint32_t name, source;
	bool own_pid;
	size_t ncolumns;
	uint64_t count;
	struct field_column *columns;
};

void shapes_init(struct shapes *all, uint64_t memory)
{
	*all = (struct shapes){ .memory = memory };
	out_memory(&all->key);
}

/* Returns the end of a JSON value, which one of our own decoders wrote. */
static const char *after(const char *p, const char *end)
{
	int depth = 0;

	for (; p < end; p++) {
		if (*p == '"') {
			for (p++; p < end && *p != '"'; p++)
				p += *p == '\\';
		} else if (*p == '{' || *p == '[') {
			depth++;
		} else if (*p == '}' || *p == ']') {
			depth--;
		} else if (*p == ',' && !depth) {
			return p;
		}
	}
	return end;
}

struct member {
	const char *key, *value;
	size_t key_len, len;
};

/* Splits the members of an object without its braces; returns their number. */
static size_t split(const struct out *json, struct member *m)
{
	const char *p = json->data, *end = p + json->len;
	size_t n = 0;

	while (p < end && n < SHAPE_KEYS) {
		const char *key = p + 1, *colon;

		for (colon = key; colon < end && *colon != '"'; colon++)
			colon += *colon == '\\';
		if (colon + 2 > end)
			break;
		m[n].key = key;
		m[n].key_len = (size_t)(colon - key);
		m[n].value = colon + 2;
		p = after(colon + 2, end);
		m[n].len = (size_t)(p - m[n].value);
		n++;
		p++;
	}
	return n;
}

/* Whether values of this field may have another name: an enum's, or an endpoint's address. */
static bool may_have_other(const struct decoder *d, void *state, const struct item *it,
			   const char *key)
{
	unsigned int can = d->comparable && it->type ? d->comparable(state, it->type, key) : 0;

	if (d->comparable)
		return !can || can == (COMPARABLE_NUMBER | COMPARABLE_TEXT);
	return d->never_number && d->never_number(key, INT64_MIN);
}

static struct shape *shape_new(struct shapes *all, uint32_t i, const struct decoder *d,
			       const struct item *it, size_t ncolumns)
{
	struct shape *s;

	if (!array_grow(all->list, i))
		return NULL;
	s = &all->list[i];
	*s = (struct shape){ .ncolumns = ncolumns, .own_pid = d->own_pid };
	s->columns = calloc(ncolumns + 1, sizeof(*s->columns));
	if (!s->columns)
		return NULL;
	for (size_t k = 0; k < ncolumns; k++) {
		page_text_init(&s->columns[k].json);
		page_text_init(&s->columns[k].other);
	}
	all->n = i + 1;
	s->name = intern(&all->names, it->name, it->name_len);
	s->source = intern(&all->sources, it->source->name, strlen(it->source->name));
	return s;
}

static bool is_number(const struct value *v)
{
	return v->type == VALUE_UINT || v->type == VALUE_INT;
}

/* Adds the other name of a value that --where takes. The first value decides how all are read. */
static void take_other(struct field_column *c, const struct value *v, bool is_text)
{
	if (c->reading == READ_UNKNOWN && v->type != VALUE_NONE)
		c->reading = v->type == VALUE_BYTES && v->is_list ? READ_ARRAY :
			     is_text && v->type == VALUE_BYTES ? READ_BYTES :
			     is_text && is_number(v) && !v->text ? READ_NUMBER : READ_PLAIN;
	if (!c->ask)
		return;
	if (is_number(v) && !is_text && v->text)
		out_json(&c->other.text, v->text, v->len);
	else if (is_text && v->text && (is_number(v) || v->hex))
		v->type == VALUE_INT ? out_s64(&c->other.text, v->i) :
					     out_u64(&c->other.text, v->u);
	else if (v->has_other)
		out_u64(&c->other.text, v->other);
	out_char(&c->other.text, '\n');
}

/* Appends a field's value to its column. */
static void take_field(const struct decoder *d, void *state, const struct item *it,
		       struct shape *s, size_t k, const struct member *m)
{
	struct field_column *c = &s->columns[k];
	struct value v = { 0 };
	char key[128];

	out_bytes(&c->json.text, m->value, m->len);
	out_char(&c->json.text, '\n');
	if (c->reading != READ_UNKNOWN && !c->ask)
		return;
	snprintf(key, sizeof(key), "%.*s", (int)m->key_len, m->key);
	if (s->count == 1)
		c->ask = may_have_other(d, state, it, key);
	if (d->value && !d->value(state, it, key, &v))
		v.type = VALUE_NONE;
	take_other(c, &v, *m->value == '"');
}

static void pack_columns(struct shapes *all)
{
	all->text += all->waiting;
	all->waiting = all->packed = 0;
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->list[i].ncolumns; k++) {
			struct field_column *c = &all->list[i].columns[k];

			all->failed |= (c->json.text.len && !page_text_pack(&c->json)) ||
				(c->other.text.len && !page_text_pack(&c->other));
			all->packed += c->json.packed.len + c->other.packed.len;
		}
}

bool shapes_full(const struct shapes *all)
{
	return all->text + all->waiting > TEXT_TIMES * all->memory ||
		all->packed > all->memory / HELD_SHARE;
}

uint32_t shapes_take(struct shapes *all, const struct out *json, const struct decoder *d,
		     void *state, const struct item *it)
{
	struct member m[SHAPE_KEYS];
	size_t n = split(json, m), before = all->fields.n;
	struct shape *s;
	uint32_t i;

	all->key.len = 0;
	out_bytes(&all->key, it->name, it->name_len);
	out_char(&all->key, '\t');
	out_str(&all->key, it->source->name);
	for (size_t k = 0; k < n; k++) {
		out_char(&all->key, '\t');
		out_bytes(&all->key, m[k].key, m[k].key_len);
	}
	i = intern(&all->fields, all->key.data, all->key.len);
	s = i < before && i < all->n ? &all->list[i]
	    : i < SHAPES && i == all->n ? shape_new(all, i, d, it, n) : NULL;
	if (!s) {
		all->failed = true;
		return 0;
	}
	s->count++;
	for (size_t k = 0; k < n && k < s->ncolumns; k++) {
		struct field_column *c = &s->columns[k];
		size_t other = c->other.text.len, had = c->json.text.len + other;

		take_field(d, state, it, s, k, &m[k]);
		all->waiting += c->json.text.len + c->other.text.len - had;
		c->other_len += c->other.text.len - other;
	}
	if (all->waiting > all->memory / WAITING_SHARE)
		pack_columns(all);
	return i;
}

/* Lists which columns have another name for their values, and which are bytes or numbers. */
static void readings_json(const struct shape *s, struct out *o)
{
	static const char *const names[] = { "other", "bytes", "numbers", "arrays" };
	static const enum reading readings[] = { READ_UNKNOWN, READ_BYTES, READ_NUMBER,
						 READ_ARRAY };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t n = 0;

		for (size_t k = 0; k < s->ncolumns; k++) {
			const struct field_column *c = &s->columns[k];

			if (i ? c->reading != readings[i] : c->other_len <= s->count)
				continue;
			if (!n++)
				out_printf(o, ",\"%s\":[%zu", names[i], k);
			else
				out_printf(o, ",%zu", k);
		}
		out_str(o, n ? "]" : "");
	}
}

void shapes_json(const struct shapes *all, struct out *o)
{
	out_str(o, ",\"shapes\":[");
	for (size_t i = 0; i < all->fields.n; i++) {
		const char *p = strchr(all->fields.texts[i], '\t');

		p = p ? strchr(p + 1, '\t') : NULL;
		out_printf(o, "%s{\"name\":%u,\"source\":%u,\"count\":%" PRIu64 ",\"keys\":[",
			   i ? "," : "", all->list[i].name, all->list[i].source,
			   all->list[i].count);
		/* names are already escaped as in JSON */
		for (bool first = true; p; first = false) {
			const char *end = strchr(++p, '\t');
			size_t n = end ? (size_t)(end - p) : strlen(p);

			out_str(o, first ? "\"" : ",\"");
			out_bytes(o, p, n);
			out_char(o, '"');
			p = end;
		}
		out_char(o, ']');
		if (all->list[i].own_pid)
			out_str(o, ",\"own_pid\":true");
		readings_json(&all->list[i], o);
		out_char(o, '}');
	}
	out_char(o, ']');
}

bool shapes_write(struct shapes *all, struct out *out)
{
	char id[48];

	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->list[i].ncolumns; k++) {
			struct field_column *c = &all->list[i].columns[k];

			snprintf(id, sizeof(id), "f%zu_%zu", i, k);
			if (!page_text_write(out, id, &c->json))
				return false;
			id[0] = 'o';
			if (c->other_len > all->list[i].count &&
			    !page_text_write(out, id, &c->other))
				return false;
		}
	return true;
}

void shapes_free(struct shapes *all)
{
	for (size_t i = 0; i < all->n; i++) {
		for (size_t k = 0; k < all->list[i].ncolumns; k++) {
			page_text_free(&all->list[i].columns[k].json);
			page_text_free(&all->list[i].columns[k].other);
		}
		free(all->list[i].columns);
	}
	free(all->list);
	out_free(&all->key);
	intern_free(&all->names);
	intern_free(&all->sources);
	intern_free(&all->fields);
}
