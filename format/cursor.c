/* SPDX-License-Identifier: MIT */
/* Rows out of columns again. */
#include <stdlib.h>

#include "bytes.h"
#include "chunk.h"
#include "decoded.h"

/* One column of a group: where to copy from and to. */
struct copy {
	const uint8_t *data;
	const uint32_t *offsets; /* of a dynamic column */
	uint32_t size, to;
	uint8_t place;
};

struct plan_of_group {
	struct copy *fixed, *dynamic; /* in the cursor's array of copies */
	uint32_t nfixed, ndynamic;
};

/*
 * The times and fixed parts of a group's next records in a stream, made column by column: going
 * from column to column for each record would wait for memory at each of them.
 */
struct window {
	uint64_t *ts;
	uint8_t *rows;
	uint32_t first, n; /* records first .. first + n - 1 of the group */
};

enum {
	WINDOW_ROWS = 64,
	WINDOW_BYTES = 16 << 10, /* large records: fewer of them */
	WINDOWS_MAX = 1024,      /* with more groups and streams, streams share those of a group */
};

struct chunk_cursor {
	const struct decoded *d;
	struct copy *copies;
	struct copy *common;
	uint32_t ncommon;
	struct plan_of_group *groups;
	struct window *windows; /* by stream and group, or by group */
	size_t nwindows;
	uint32_t *next; /* of each stream: events given */
	struct buf record; /* one with dynamic parts */
};

static bool add_copy(const struct trawl_column *c, struct copy *to)
{
	const struct trawl_field *f = c->field;

	*to = (struct copy){ .data = c->data, .offsets = c->offsets, .place = f->place,
			     .size = f->place == TRAWL_FIXED ? (uint32_t)f->size * f->count : 0,
			     .to = f->offset };
	return c->data && (to->size || to->offsets);
}

static struct copy *add_group(struct plan_of_group *p, const struct trawl_group *g, struct copy *at)
{
	p->fixed = at;
	for (uint32_t i = 0; i < g->ncolumns; i++)
		if (!g->columns[i].offsets && add_copy(&g->columns[i], at))
			at++;
	p->dynamic = at;
	p->nfixed = (uint32_t)(at - p->fixed);
	for (uint32_t i = 0; i < g->ncolumns; i++)
		if (g->columns[i].offsets && add_copy(&g->columns[i], at))
			at++;
	p->ndynamic = (uint32_t)(at - p->dynamic);
	return at;
}

struct chunk_cursor *chunk_cursor_new(const struct trawl_chunk *chunk)
{
	struct chunk_cursor *c = calloc(1, sizeof(*c));
	size_t n = chunk->ncommon;
	struct copy *at;

	if (!c)
		return NULL;
	for (uint32_t g = 0; g < chunk->ngroups; g++)
		n += chunk->groups[g].ncolumns;
	c->d = (const struct decoded *)(const void *)chunk;
	c->copies = calloc(n + 1, sizeof(*c->copies));
	c->groups = calloc(chunk->ngroups + 1, sizeof(*c->groups));
	c->next = calloc(chunk->nstreams + 1, sizeof(*c->next));
	c->nwindows = (size_t)chunk->nstreams * chunk->ngroups;
	if (c->nwindows > WINDOWS_MAX)
		c->nwindows = chunk->ngroups;
	c->windows = calloc(c->nwindows + 1, sizeof(*c->windows));
	if (!c->copies || !c->groups || !c->next || !c->windows) {
		chunk_cursor_free(c);
		return NULL;
	}
	at = c->common = c->copies;
	for (uint32_t i = 0; i < chunk->ncommon; i++)
		if (add_copy(&chunk->common[i], at))
			at++;
	c->ncommon = (uint32_t)(at - c->common);
	for (uint32_t g = 0; g < chunk->ngroups; g++)
		at = add_group(&c->groups[g], &chunk->groups[g], at);
	return c;
}

void chunk_cursor_free(struct chunk_cursor *c)
{
	if (!c)
		return;
	for (size_t i = 0; c->windows && i < c->nwindows; i++)
		free(c->windows[i].ts);
	free(c->windows);
	free(c->copies);
	free(c->groups);
	free(c->next);
	buf_free(&c->record);
	free(c);
}

/* One column's elements i .. i + n - 1 to their places in rows. */
static void copy_column(uint8_t *to, size_t stride, const struct copy *c, uint32_t i, uint32_t n)
{
	const uint8_t *from = c->data + (size_t)i * c->size;

	to += c->to;
	switch (c->size) {
	case 1:
		for (; n; n--, to += stride, from += 1)
			*to = *from;
		break;
	case 2:
		for (; n; n--, to += stride, from += 2)
			memcpy(to, from, 2);
		break;
	case 4:
		for (; n; n--, to += stride, from += 4)
			memcpy(to, from, 4);
		break;
	case 8:
		for (; n; n--, to += stride, from += 8)
			memcpy(to, from, 8);
		break;
	case 16:
		for (; n; n--, to += stride, from += 16)
			memcpy(to, from, 16);
		break;
	default:
		for (; n; n--, to += stride, from += c->size)
			memcpy(to, from, c->size);
	}
}

/* The group's records from i on come into the window. What no field covers is zero. */
static bool fill(struct window *w, const struct trawl_group *g, const struct plan_of_group *p,
		 size_t stride, uint32_t i)
{
	uint32_t most = WINDOW_ROWS;

	if (stride * most > WINDOW_BYTES)
		most = stride < WINDOW_BYTES ? (uint32_t)(WINDOW_BYTES / stride) : 1;
	if (most > g->count)
		most = g->count;
	if (!w->ts) {
		w->ts = calloc(most, sizeof(*w->ts) + stride);
		w->rows = (uint8_t *)(w->ts + most);
	}
	if (!w->ts)
		return false;
	w->first = i;
	w->n = g->count - i < most ? g->count - i : most;
	memcpy(w->ts, g->ts + i, w->n * sizeof(*w->ts));
	for (uint32_t k = 0; k < p->nfixed; k++)
		copy_column(w->rows, stride, &p->fixed[k], i, w->n);
	return true;
}

static inline void copy_common(uint8_t *record, const struct copy *c, uint32_t n, uint32_t i)
{
	for (const struct copy *end = c + n; c < end; c++) {
		const uint8_t *from = c->data + (size_t)i * c->size;
		uint8_t *to = record + c->to;

		if (c->size == 1)
			*to = *from;
		else if (c->size == 4)
			memcpy(to, from, 4);
		else
			memcpy(to, from, c->size);
	}
}

/* Puts dynamic parts behind the fixed part and their places into it. */
static void copy_dynamic(struct buf *r, const struct copy *c, uint32_t n, uint32_t i)
{
	for (; n; n--, c++) {
		uint32_t from = c->offsets[i], len = c->offsets[i + 1] - from;
		uint32_t at = (uint32_t)r->len - (c->place == TRAWL_REL_LOC ? c->to + 4 : 0);

		if (c->place != TRAWL_TAIL)
			put32(r->data + c->to, len << 16 | (at & 0xffff));
		buf_put(r, c->data + from, len);
	}
}

/* A record with dynamic parts: put together in a place of its own. */
static int dynamic_row(struct chunk_cursor *c, const uint8_t *row, uint32_t group, uint32_t i,
		       struct trawl_event *ev)
{
	const struct plan_of_group *p = &c->groups[group];

	c->record.len = 0;
	buf_put(&c->record, row, ev->type->size);
	if (c->record.failed)
		return 0;
	copy_dynamic(&c->record, p->dynamic, p->ndynamic, i);
	ev->record = c->record.data;
	ev->len = (uint32_t)c->record.len;
	return 1;
}

static int whole_row(const struct decoded_rows *rows, uint32_t i, struct trawl_event *ev)
{
	ev->record = rows->data + rows->offsets[i];
	ev->len = rows->offsets[i + 1] - rows->offsets[i];
	return 1;
}

static struct window *window(struct chunk_cursor *c, uint32_t stream, uint32_t group)
{
	uint32_t ngroups = c->d->chunk.ngroups;

	return &c->windows[c->nwindows == ngroups ? group : (size_t)stream * ngroups + group];
}

int chunk_cursor_next(struct chunk_cursor *c, uint32_t stream, struct trawl_event *ev)
{
	const struct trawl_chunk *chunk = &c->d->chunk;
	const struct trawl_stream *s = &chunk->streams[stream];
	const struct trawl_group *g;
	const struct plan_of_group *p;
	struct window *w;
	uint32_t n, i, group;
	size_t stride;
	uint8_t *row;

	if (c->next[stream] >= s->count)
		return 0;
	n = s->first + c->next[stream]++;
	i = c->d->rank[n];
	group = chunk->group_of[n];
	g = &chunk->groups[group];
	p = &c->groups[group];
	w = window(c, stream, group);
	stride = (g->type->size + 7u) & ~7u;
	if (i - w->first >= w->n && !fill(w, g, p, stride, i))
		return 0;
	i -= w->first;
	ev->ts = w->ts[i];
	ev->source = chunk->source;
	ev->type = g->type;
	ev->cpu = s->cpu;
	if (c->d->rows[group].data)
		return whole_row(&c->d->rows[group], w->first + i, ev);
	row = w->rows + i * stride;
	copy_common(row, c->common, c->ncommon, n);
	if (p->ndynamic)
		return dynamic_row(c, row, group, w->first + i, ev);
	ev->record = row;
	ev->len = g->type->size;
	return 1;
}
