/* SPDX-License-Identifier: MIT */
#include "format/decodecolumns.h"

#include <string.h>

#include "format/loops.h"
#include "format/payload.h"

#define PACK(type) \
	do { \
		for (uint32_t i = 0; i < n; i++) { \
			type x = (type)v[order ? order[i] : i]; \
			memcpy(to + (size_t)i * stride, &x, sizeof(x)); \
		} \
	} while (0)

/* Converts a column from class order to chunk order, and its numbers to their size. */
LOOPS static void pack_numbers(const struct layout_column *c, const uint64_t *v,
			       const uint32_t *order, uint32_t n, uint8_t *to)
{
	uint32_t stride = c->stride;

	to += c->column_offset;
	switch (c->size) {
	case 1:
		PACK(uint8_t);
		break;
	case 2:
		PACK(uint16_t);
		break;
	case 4:
		PACK(uint32_t);
		break;
	default:
		PACK(uint64_t);
	}
}

/* Makes a column of FIXED strings: from the string table, padded with NULs, or from `data`. */
static bool fixed_strings(struct chunk_decoder *d, const struct table *t, uint32_t column,
			  const uint32_t *order, const uint8_t *plain, uint8_t *to)
{
	uint32_t size = t->layout->columns[column].size;

	for (uint32_t i = 0; i < t->n; i++, to += size) {
		uint32_t at = order ? order[i] : i;
		const struct string *s;

		if (plain) {
			memcpy(to, plain + (size_t)at * size, size);
			continue;
		}
		s = &d->strings[t->value[column][at]];
		if (s->len > size)
			return column_breaks(&d->in, RULE("String columns",
							  "a string is longer than its field"));
		memcpy(to, s->p, s->len);
		memset(to + s->len, 0, size - s->len);
	}
	return true;
}

/* Returns the offset of each event's bytes in the substream data; NULL: out of memory. */
static uint64_t *plain_offsets(struct chunk_decoder *d, const uint64_t *len, uint32_t n)
{
	uint64_t *from = arena_take(&d->chunk->arena, (size_t)n + 1, sizeof(*from)), at = 0;

	for (uint32_t i = 0; from && i < n; i++) {
		from[i] = at;
		at += len[i];
	}
	return from;
}

static bool dynamic_offsets(struct chunk_decoder *d, struct table *t, uint32_t column,
			    const uint32_t *order, bool plain, uint32_t *offsets)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		uint64_t v = t->value[column][order ? order[i] : i];

		offsets[i] = (uint32_t)at;
		at += plain ? v : d->strings[v].len;
		if (at > CHUNK_MAX_BYTES)
			return column_breaks(&d->in, RULE("Bounds", "strings have over 64 MiB"));
	}
	offsets[t->n] = (uint32_t)at;
	return true;
}

static bool dynamic_strings(struct chunk_decoder *d, struct table *t, uint32_t column,
			    const uint32_t *order, bool plain, struct trawl_column *out)
{
	uint32_t *offsets = arena_take(&d->chunk->arena, (size_t)t->n + 1, 4);
	const uint64_t *v = t->value[column], *from = NULL;
	const uint8_t *stored = NULL;
	uint8_t *to;

	if (!offsets || !dynamic_offsets(d, t, column, order, plain, offsets))
		return false;
	out->offsets = offsets;
	if (plain) {
		stored = view_bytes(&d->in.data, offsets[t->n]);
		out->data = stored;
		if (!stored)
			return column_breaks(&d->in, RULE_SHORT("data"));
		if (!order)
			return true;
		from = plain_offsets(d, v, t->n);
		if (!from)
			return false;
	}
	to = arena_take(&d->chunk->arena, (size_t)offsets[t->n] + 1, 1);
	if (!to)
		return false;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t at = order ? order[i] : i;

		memcpy(to + offsets[i], plain ? stored + from[at] : d->strings[v[at]].p,
		       offsets[i + 1] - offsets[i]);
	}
	out->data = to;
	return true;
}

static bool get_string(struct chunk_decoder *d, struct table *t, uint32_t column,
		       const uint32_t *order, struct trawl_column *out)
{
	const struct layout_column *c = &t->layout->columns[column];
	uint8_t how = view_u8(&d->in.structure);
	bool fixed = c->place == TRAWL_FIXED;
	const uint8_t *plain = NULL;
	uint8_t *to;

	if (d->in.structure.bad)
		return column_breaks(&d->in, RULE_STRUCTURE);
	if (how > STRING_PLAIN)
		return column_breaks(&d->in, RULE("Description of a column",
						  "the form of a string column is not 0 or 1"));
	if (!(fixed && how == STRING_PLAIN) &&
	    !column_decode(t, column, &d->predictors, &d->in))
		return false;
	for (uint32_t i = 0; how == STRING_NUMBERED && i < t->n; i++)
		if (t->value[column][i] >= d->nstrings)
			return column_breaks(&d->in, RULE("String columns",
							  "the number of a string is not listed"));
	if (!fixed)
		return dynamic_strings(d, t, column, order, how == STRING_PLAIN, out);
	if (how == STRING_PLAIN) {
		plain = view_bytes(&d->in.data, (size_t)t->n * c->size);
		if (!plain)
			return column_breaks(&d->in, RULE_SHORT("data"));
		for (uint32_t i = 0; i < t->n; i++)
			t->value[column][i] = c->size;
	}
	to = arena_take(&d->chunk->arena, t->n, c->size);
	out->data = to;
	return to && fixed_strings(d, t, column, order, plain, to);
}

/* Fills in the values of a key column, which are constant in each class. */
static void get_key(const struct chunk_decoder *d, struct table *t, uint32_t key, uint64_t *v)
{
	for (uint32_t c = 0; c < t->nclasses; c++)
		for (uint32_t i = 0; i < t->class_count[c]; i++)
			*v++ = d->classes[t->first_class + c].key[key];
}

static bool get_number(struct chunk_decoder *d, struct table *t, const struct decode_table *a,
		       uint32_t column)
{
	for (uint32_t k = 0; a && k < a->nkeys; k++) {
		if (a->keys[k] != column)
			continue;
		get_key(d, t, k, t->value[column]);
		return true;
	}
	return column_decode(t, column, &d->predictors, &d->in);
}

/* Decodes all columns of a table into out, which has a zeroed element for each field. */
static bool get_columns(struct chunk_decoder *d, struct table *t, const struct decode_table *a,
			const uint32_t *order, struct trawl_column *out)
{
	const struct layout *l = t->layout;

	for (uint32_t k = 0; k < l->nnumbers; k++) {
		const struct layout_column *c = &l->columns[k];

		if (!get_number(d, t, a, k))
			return false;
		if (!out[c->field].data)
			out[c->field].data = arena_take(&d->chunk->arena, t->n, c->stride);
		if (!out[c->field].data)
			return false;
		pack_numbers(c, t->value[k], order, t->n, (uint8_t *)out[c->field].data);
	}
	for (uint32_t k = l->nnumbers; k < l->ncolumns; k++)
		if (!get_string(d, t, k, order, &out[l->columns[k].field]))
			return false;
	return true;
}

static struct trawl_column *new_columns(struct chunk_decoder *d, const struct trawl_field *fields,
					uint32_t n)
{
	struct trawl_column *c = arena_take(&d->chunk->arena, n + 1, sizeof(*c));

	for (uint32_t i = 0; c && i < n; i++)
		c[i] = (struct trawl_column){ .field = &fields[i] };
	return c;
}

/* Prepares the numbers that columns can refer to besides columns (REF_FOLLOWING, REF_ELAPSED). */
static bool derive(struct chunk_decoder *d)
{
	uint64_t *memory = room_for(&d->derived_room, ((size_t)d->events.count * REFS_DERIVED +
							d->ntables) * sizeof(*memory));
	uint32_t *table = arena_take(&d->chunk->arena, d->nclasses + 1, sizeof(*table));

	if (!memory || !table)
		return false;
	for (uint32_t c = 0; c < d->nclasses; c++)
		table[c] = d->classes[c].table;
	events_derive(&d->events, d->streams, d->nstreams, table, d->ntables, memory);
	return true;
}

bool decode_common(struct chunk_decoder *d)
{
	const struct trawl_source *s = d->source;
	struct table *t = &d->common_table;
	struct trawl_column *c = new_columns(d, s->common, s->ncommon);

	if (!c || !table_init(t, &d->common, d->events.count))
		return false;
	table_of_all(t, &d->events);
	if (!get_columns(d, t, NULL, NULL, c))
		return false;
	d->events.pid = d->pid_column == UINT32_MAX ? NULL : t->value[d->pid_column];
	if (d->payload_ticks && !derive(d))
		return false;
	d->chunk->decoded.chunk.common = c;
	d->chunk->decoded.chunk.ncommon = s->ncommon;
	return true;
}

/* The fixed fields of records that were kept whole; their dynamic fields are empty. */
static bool columns_of_rows(struct chunk_decoder *d, const struct trawl_event_type *type,
			    const struct decoded_rows *rows, uint32_t n, struct trawl_column *out)
{
	for (uint32_t i = 0; i < n; i++)
		if (rows->offsets[i + 1] - rows->offsets[i] < type->size)
			return column_breaks(&d->in, RULE("Whole records",
							  "one is shorter than the fixed part"));
	for (uint32_t k = 0; k < type->nfields; k++) {
		const struct trawl_field *f = &type->fields[k];
		bool fixed = f->place == TRAWL_FIXED;
		size_t size = fixed ? (size_t)f->size * f->count : sizeof(uint32_t);
		uint8_t *to = arena_take(&d->chunk->arena, (size_t)n + 1, size);

		if (!to)
			return false;
		if (fixed && f->offset + size > type->size)
			return column_breaks(&d->in, RULE("Event type (3)",
							  "a field is not in the fixed part"));
		out[k].data = to;
		if (!fixed) {
			memset(to, 0, ((size_t)n + 1) * size);
			out[k].offsets = (const uint32_t *)(void *)to;
		}
		for (uint32_t i = 0; fixed && i < n; i++)
			memcpy(to + i * size, rows->data + rows->offsets[i] + f->offset, size);
	}
	return true;
}

static bool get_group(struct chunk_decoder *d, const struct decode_table *a,
		      struct trawl_group *g, struct decoded_rows *rows)
{
	const struct trawl_event_type *type = d->schema->types[a->type];
	const struct layout *l = a->rows ? &d->row : &d->types[a->type].layout;
	struct trawl_column *columns = new_columns(d, type->fields, type->nfields), row = { 0 };
	const uint32_t *order = a->nclasses > 1 ? d->order + a->first : NULL;
	struct table *t = &d->table;

	if (!columns || !table_init(t, l, a->n))
		return false;
	table_of(t, &d->events, a->first, a->first_class, a->nclasses);
	*g = (struct trawl_group){ .type = type, .count = a->n, .ts = d->ts + a->first,
				   .ncolumns = type->nfields, .columns = columns };
	*rows = (struct decoded_rows){ NULL, NULL };
	if (!a->rows)
		return get_columns(d, t, a, order, columns);
	if (!get_columns(d, t, NULL, NULL, &row))
		return false;
	*rows = (struct decoded_rows){ row.data, row.offsets };
	return columns_of_rows(d, type, rows, a->n, columns);
}

bool decode_groups(struct chunk_decoder *d)
{
	struct trawl_group *groups = arena_take(&d->chunk->arena, d->ntables + 1, sizeof(*groups));
	struct decoded_rows *rows = arena_take(&d->chunk->arena, d->ntables + 1, sizeof(*rows));

	if (!groups || !rows)
		return false;
	for (uint32_t i = 0; i < d->ntables; i++)
		if (!get_group(d, &d->tables[i], &groups[i], &rows[i]))
			return false;
	d->chunk->decoded.chunk.groups = groups;
	d->chunk->decoded.chunk.ngroups = d->ntables;
	d->chunk->decoded.rows = rows;
	return true;
}
