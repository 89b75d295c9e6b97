/* SPDX-License-Identifier: MIT */
/*
 * The plainest chunk payload: rows in one zstd frame. Per event, streams one after another:
 * u64 ts, u32 type index, u32 cpu, u32 length, the record.
 */
#include <stdlib.h>
#include <zstd.h>

#include "bytes.h"
#include "chunk.h"

enum { ROW_HEAD = 20, RAW_MAX = 64 << 20 };

struct chunk_encoder {
	int level;
	struct buf raw, out;
	uint32_t *order;
};

struct chunk_encoder *chunk_encoder_new(int level)
{
	struct chunk_encoder *e = calloc(1, sizeof(*e));

	if (e)
		e->level = level ? level : 3;
	return e;
}

void chunk_encoder_free(struct chunk_encoder *e)
{
	if (!e)
		return;
	buf_free(&e->raw);
	buf_free(&e->out);
	free(e);
}

static uint32_t highest_cpu(const struct batch *b)
{
	uint32_t max = 0;

	for (uint32_t i = 0; i < b->count; i++)
		if (b->events[i].cpu > max)
			max = b->events[i].cpu;
	return max;
}

static void put_row(struct buf *raw, const struct batch *b, const struct batch_event *ev)
{
	buf_u64(raw, ev->ts);
	buf_u32(raw, ev->type);
	buf_u32(raw, ev->cpu);
	buf_u32(raw, ev->len);
	buf_put(raw, b->bytes + ev->offset, ev->len);
}

int chunk_encode(struct chunk_encoder *e, const struct chunk_schema *schema, const struct batch *b,
		 const uint8_t **payload, size_t *len, uint64_t *first, uint64_t *last,
		 struct trawl_error *err)
{
	uint32_t cpus = highest_cpu(b) + 1;
	size_t n;

	e->raw.len = e->out.len = 0;
	*first = UINT64_MAX;
	*last = 0;
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		for (uint32_t i = 0; i < b->count; i++)
			if (b->events[i].cpu == cpu) {
				put_row(&e->raw, b, &b->events[i]);
				*first = b->events[i].ts < *first ? b->events[i].ts : *first;
				*last = b->events[i].ts > *last ? b->events[i].ts : *last;
			}
	if (e->raw.failed || !buf_reserve(&e->out, ZSTD_compressBound(e->raw.len)))
		return trawl_fail(err, TRAWL_CANNOT, "out of memory for a chunk");
	n = ZSTD_compress(e->out.data, e->out.cap, e->raw.data, e->raw.len, e->level);
	if (ZSTD_isError(n))
		return trawl_fail(err, TRAWL_CANNOT, "zstd: %s", ZSTD_getErrorName(n));
	*payload = e->out.data;
	*len = n;
	return 0;
}

/* ---- reading --------------------------------------------------------------------------- */

struct row {
	uint64_t ts;
	uint32_t type, cpu, len;
	const uint8_t *bytes;
};

struct chunk_decoder {
	struct trawl_chunk chunk;
	struct buf raw;
	struct row *rows;
	struct trawl_group *groups;
	struct trawl_stream *streams;
	struct trawl_column *common;
	uint32_t *group_of, *group_at; /* group_at: type index -> group + 1 */
	uint32_t fill;
};

struct chunk_decoder *chunk_decoder_new(void)
{
	return calloc(1, sizeof(struct chunk_decoder));
}

static void columns_free(const struct trawl_column *c, uint32_t n)
{
	for (uint32_t i = 0; c && i < n; i++) {
		free((void *)c[i].data);
		free((void *)c[i].offsets);
	}
	free((void *)c);
}

static void decoder_reset(struct chunk_decoder *d)
{
	for (uint32_t g = 0; g < d->chunk.ngroups; g++) {
		columns_free(d->groups[g].columns, d->groups[g].ncolumns);
		free((void *)d->groups[g].ts);
	}
	columns_free(d->common, d->chunk.ncommon);
	free(d->rows);
	free(d->groups);
	free(d->streams);
	free(d->group_of);
	free(d->group_at);
	buf_free(&d->raw);
	memset(d, 0, sizeof(*d));
}

void chunk_decoder_free(struct chunk_decoder *d)
{
	if (!d)
		return;
	decoder_reset(d);
	free(d);
}

static bool expand(struct chunk_decoder *d, const uint8_t *payload, size_t len)
{
	unsigned long long size = ZSTD_getFrameContentSize(payload, len);
	size_t n;

	if (size > RAW_MAX || !buf_reserve(&d->raw, size))
		return false;
	n = ZSTD_decompress(d->raw.data, d->raw.cap, payload, len);
	d->raw.len = n;
	return !ZSTD_isError(n) && n == size;
}

static bool read_rows(struct chunk_decoder *d, const struct chunk_schema *s, uint32_t count)
{
	struct view v = { d->raw.data, d->raw.data + d->raw.len, false };

	if (d->raw.len / ROW_HEAD < count)
		return false;
	d->rows = calloc(count + 1, sizeof(*d->rows));
	for (uint32_t i = 0; d->rows && i < count; i++) {
		struct row *r = &d->rows[i];

		r->ts = view_u64(&v);
		r->type = view_u32(&v);
		r->cpu = view_u32(&v);
		r->len = view_u32(&v);
		r->bytes = view_bytes(&v, r->len);
		if (v.bad || r->type >= s->ntypes || !s->types[r->type] ||
		    r->len < s->types[r->type]->size || (i && r[-1].cpu > r->cpu))
			return false;
	}
	return d->rows && v.p == v.end;
}

static bool make_groups(struct chunk_decoder *d, const struct chunk_schema *s, uint32_t count)
{
	d->group_at = calloc(s->ntypes + 1, sizeof(uint32_t));
	d->group_of = calloc(count + 1, sizeof(uint32_t));
	d->groups = calloc(s->ntypes + 1, sizeof(*d->groups));
	d->streams = calloc(count + 1, sizeof(*d->streams));
	if (!d->group_at || !d->group_of || !d->groups || !d->streams)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		struct row *r = &d->rows[i];

		if (!d->group_at[r->type]) {
			d->group_at[r->type] = ++d->chunk.ngroups;
			d->groups[d->chunk.ngroups - 1].type = s->types[r->type];
		}
		d->group_of[i] = d->group_at[r->type] - 1;
		d->groups[d->group_of[i]].count++;
		if (!i || r->cpu != r[-1].cpu)
			d->streams[d->chunk.nstreams++] =
				(struct trawl_stream){ .cpu = r->cpu, .first = i };
		d->streams[d->chunk.nstreams - 1].count++;
	}
	return true;
}

static void place(const struct trawl_field *f, const struct row *r, const uint8_t **p, size_t *n)
{
	uint32_t word, at;

	if (f->place == TRAWL_FIXED) {
		*p = r->bytes + f->offset;
		*n = (size_t)f->size * f->count;
		return;
	}
	if (f->place == TRAWL_TAIL) {
		*p = r->bytes + f->offset;
		*n = r->len - f->offset;
		return;
	}
	word = get32(r->bytes + f->offset);
	at = (word & 0xffff) + (f->place == TRAWL_REL_LOC ? f->offset + 4u : 0);
	*n = word >> 16;
	if (at > r->len || *n > r->len - at)
		at = *n = 0;
	*p = r->bytes + at;
}

/* One column over the rows of group g, or of all rows for a common field (g is UINT32_MAX). */
static bool make_column(struct chunk_decoder *d, uint32_t count, uint32_t g,
			const struct trawl_field *f, struct trawl_column *c)
{
	struct buf data = { 0 };
	uint32_t n = 0, *offsets = calloc((size_t)count + 1, sizeof(uint32_t));

	c->field = f;
	buf_reserve(&data, 1);
	for (uint32_t i = 0; offsets && i < d->chunk.count; i++) {
		const uint8_t *p;
		size_t len;

		if (g != UINT32_MAX && d->group_of[i] != g)
			continue;
		place(f, &d->rows[i], &p, &len);
		buf_put(&data, p, len);
		offsets[++n] = (uint32_t)data.len;
	}
	c->data = data.data;
	if (f->place != TRAWL_FIXED)
		c->offsets = offsets;
	else
		free(offsets);
	return !data.failed && offsets;
}

static bool fill_group(struct chunk_decoder *d, uint32_t g)
{
	struct trawl_group *group = &d->groups[g];
	uint64_t *ts = calloc(group->count, sizeof(uint64_t));
	struct trawl_column *c = calloc(group->type->nfields + 1, sizeof(*c));
	uint32_t n = 0;
	bool ok = ts && c;

	group->ts = ts;
	group->columns = c;
	group->ncolumns = c ? group->type->nfields : 0;
	for (uint32_t i = 0; ok && i < d->chunk.count; i++)
		if (d->group_of[i] == g)
			ts[n++] = d->rows[i].ts;
	for (uint32_t k = 0; ok && k < group->ncolumns; k++)
		ok = make_column(d, group->count, g, &group->type->fields[k], &c[k]);
	return ok;
}

static bool common_fits(const struct chunk_schema *s, const struct chunk_decoder *d)
{
	for (uint32_t g = 0; g < d->chunk.ngroups; g++)
		if (!s->source || !s->source->ncommon)
			continue;
		else
			for (uint32_t i = 0; i < s->source->ncommon; i++)
				if (s->source->common[i].offset + (uint32_t)s->source->common[i].size *
				    s->source->common[i].count > d->groups[g].type->size)
					return false;
	return true;
}

static bool fill(struct chunk_decoder *d, const struct chunk_schema *s)
{
	uint32_t n = s->source ? s->source->ncommon : 0;
	bool ok = common_fits(s, d);

	for (uint32_t g = 0; ok && g < d->chunk.ngroups; g++)
		ok = fill_group(d, g);
	d->common = calloc(n + 1, sizeof(*d->common));
	d->chunk.ncommon = d->common ? n : 0;
	for (uint32_t i = 0; ok && i < d->chunk.ncommon; i++)
		ok = make_column(d, d->chunk.count, UINT32_MAX, &s->source->common[i],
				 &d->common[i]);
	return ok && d->common;
}

int chunk_decode(struct chunk_decoder *d, const struct chunk_schema *schema, const uint8_t *payload,
		 size_t len, uint32_t count, const struct trawl_chunk **chunk,
		 struct trawl_error *err)
{
	decoder_reset(d);
	d->chunk.count = count;
	d->chunk.source = schema->source;
	if (!expand(d, payload, len) || !read_rows(d, schema, count) ||
	    !make_groups(d, schema, count) || !fill(d, schema))
		return trawl_fail(err, TRAWL_BAD_DATA, "chunk payload is damaged");
	d->chunk.first = UINT64_MAX;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t ts = d->rows[i].ts;

		d->chunk.first = ts < d->chunk.first ? ts : d->chunk.first;
		d->chunk.last = ts > d->chunk.last ? ts : d->chunk.last;
	}
	d->chunk.groups = d->groups;
	d->chunk.streams = d->streams;
	d->chunk.common = d->common;
	d->chunk.group_of = d->group_of;
	*chunk = &d->chunk;
	return 0;
}

/* ---- cursor ---------------------------------------------------------------------------- */

struct chunk_cursor {
	const struct trawl_chunk *chunk;
	uint32_t *index;     /* chunk order -> place in its group */
	uint32_t *next;      /* of each stream */
	struct buf record;
};

struct chunk_cursor *chunk_cursor_new(const struct trawl_chunk *chunk)
{
	struct chunk_cursor *c = calloc(1, sizeof(*c));
	uint32_t *n = calloc(chunk->ngroups + 1, sizeof(uint32_t));

	if (c) {
		c->chunk = chunk;
		c->index = calloc(chunk->count + 1, sizeof(uint32_t));
		c->next = calloc(chunk->nstreams + 1, sizeof(uint32_t));
	}
	if (!c || !n || !c->index || !c->next) {
		free(n);
		chunk_cursor_free(c);
		return NULL;
	}
	for (uint32_t i = 0; i < chunk->count; i++)
		c->index[i] = n[chunk->group_of[i]]++;
	free(n);
	return c;
}

void chunk_cursor_free(struct chunk_cursor *c)
{
	if (!c)
		return;
	free(c->index);
	free(c->next);
	buf_free(&c->record);
	free(c);
}

static void put_field(struct buf *r, const struct trawl_column *c, uint32_t i)
{
	const struct trawl_field *f = c->field;
	size_t n;

	if (f->place == TRAWL_FIXED) {
		n = (size_t)f->size * f->count;
		memcpy(r->data + f->offset, (const uint8_t *)c->data + i * n, n);
		return;
	}
	n = c->offsets[i + 1] - c->offsets[i];
	if (f->place != TRAWL_TAIL)
		put32(r->data + f->offset, (uint32_t)(n << 16 | (r->len -
			(f->place == TRAWL_REL_LOC ? f->offset + 4u : 0))));
	buf_put(r, (const uint8_t *)c->data + c->offsets[i], n);
}

int chunk_cursor_next(struct chunk_cursor *c, uint32_t stream, struct trawl_event *ev)
{
	const struct trawl_stream *s = &c->chunk->streams[stream];
	const struct trawl_group *g;
	uint32_t n, i;

	if (c->next[stream] >= s->count)
		return 0;
	n = s->first + c->next[stream]++;
	i = c->index[n];
	g = &c->chunk->groups[c->chunk->group_of[n]];
	c->record.len = 0;
	if (!buf_reserve(&c->record, g->type->size + 1u))
		return 0;
	memset(c->record.data, 0, g->type->size);
	c->record.len = g->type->size;
	for (uint32_t k = 0; k < c->chunk->ncommon; k++)
		put_field(&c->record, &c->chunk->common[k], n);
	for (uint32_t k = 0; k < g->ncolumns; k++)
		put_field(&c->record, &g->columns[k], i);
	ev->ts = g->ts[i];
	ev->source = c->chunk->source;
	ev->type = g->type;
	ev->cpu = s->cpu;
	ev->record = c->record.data;
	ev->len = (uint32_t)c->record.len;
	return 1;
}
