/* SPDX-License-Identifier: MIT */
/* Rows out of columns again. */
#include <stdlib.h>

#include "format/bytes.h"
#include "format/chunk.h"
#include "format/decoded.h"

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
	uint32_t next, n; /* rows given, rows there are */
	uint32_t first;   /* the group's record that is the first row */
	uint32_t stride;
	const struct trawl_event_type *type;
	bool direct;      /* a row is the whole record */
};

enum {
	WINDOW_ROWS = 64,
	WINDOW_BYTES = 16 << 10, /* large records: fewer of them */
	WINDOWS_MAX = 4096,      /* with more streams and groups, a window is one record */
};

struct chunk_cursor {
	const struct decoded *d;
	struct copy *copies;
	struct copy *common;
	uint32_t ncommon;
	struct plan_of_group *groups;
	struct window *windows; /* by stream and group; or, if shared by the streams, by group */
	size_t nwindows;
	bool shared;
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
	c->shared = c->nwindows > WINDOWS_MAX;
	if (c->shared)
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
static bool fill(struct chunk_cursor *c, struct window *w, uint32_t group, uint32_t i)
{
	const struct trawl_group *g = &c->d->chunk.groups[group];
	const struct plan_of_group *p = &c->groups[group];
	uint32_t stride = (g->type->size + 7u) & ~7u, most = c->shared ? 1 : WINDOW_ROWS;

	if (stride * most > WINDOW_BYTES)
		most = stride < WINDOW_BYTES ? WINDOW_BYTES / stride : 1;
	if (most > g->count)
		most = g->count;
	if (!w->ts) {
		w->ts = calloc(most, sizeof(*w->ts) + stride);
		w->rows = (uint8_t *)(w->ts + most);
		w->stride = stride;
		w->type = g->type;
		w->direct = !p->ndynamic && !c->d->rows[group].data;
	}
	if (!w->ts)
		return false;
	w->next = 0;
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

/* Puts dynamic parts after the fixed part and their places into it. */
static void copy_dynamic(struct buf *r, const struct copy *c, uint32_t n, uint32_t i)
{
	for (; n; n--, c++) {
		uint32_t from = c->offsets[i], len = c->offsets[i + 1] - from;
		uint32_t at = (uint32_t)r->len - (c->place == TRAWL_REL_LOC ? c->to + 4 : 0);

		if (c->place != TRAWL_TAIL)
			put32(r->data + c->to, trawl_loc(len, at));
		buf_put(r, c->data + from, len);
	}
}

/* A record with dynamic parts is put together in a place of its own; some are kept whole. */
static int other_row(struct chunk_cursor *c, const uint8_t *row, uint32_t group, uint32_t i,
		     struct trawl_event *ev)
{
	const struct decoded_rows *whole = &c->d->rows[group];
	const struct plan_of_group *p = &c->groups[group];

	if (whole->data) {
		ev->record = whole->data + whole->offsets[i];
		ev->len = whole->offsets[i + 1] - whole->offsets[i];
		return 1;
	}
	c->record.len = 0;
	buf_put(&c->record, row, ev->type->size);
	if (c->record.failed)
		return -1;
	copy_dynamic(&c->record, p->dynamic, p->ndynamic, i);
	if (c->record.failed)
		return -1;
	ev->record = c->record.data;
	ev->len = (uint32_t)c->record.len;
	return 1;
}

static struct window *window(struct chunk_cursor *c, uint32_t stream, uint32_t group)
{
	return &c->windows[c->shared ? group : (size_t)stream * c->d->chunk.ngroups + group];
}

int chunk_cursor_next(struct chunk_cursor *c, uint32_t stream, struct trawl_event *ev)
{
	const struct trawl_chunk *chunk = &c->d->chunk;
	const struct trawl_stream *s = &chunk->streams[stream];
	uint32_t n, group, at;
	struct window *w;
	uint8_t *row;

	if (c->next[stream] >= s->count)
		return 0;
	n = s->first + c->next[stream]++;
	group = chunk->group_of[n];
	w = window(c, stream, group);
	/* a stream's records of a group are one after another in it */
	if ((w->next == w->n || c->shared) && !fill(c, w, group, c->d->rank[n]))
		return -1;
	at = w->next++;
	ev->ts = w->ts[at];
	ev->source = chunk->source;
	ev->type = w->type;
	ev->cpu = s->cpu;
	ev->place = n;
	row = w->rows + (size_t)at * w->stride;
	copy_common(row, c->common, c->ncommon, n);
	if (!w->direct)
		return other_row(c, row, group, w->first + at, ev);
	ev->record = row;
	ev->len = w->type->size;
	return 1;
}
