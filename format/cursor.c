/* SPDX-License-Identifier: MIT */
/* Rebuilds records from columns. */
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
 * The times and fixed parts of a group's next records in a stream. They are filled column by
 * column, because reading all columns for each record would miss the cache at each of them.
 */
struct window {
	uint64_t *ts;
	uint8_t *rows;
	uint32_t n;       /* number of filled rows */
	uint32_t first;   /* number in the group of the record in the first row */
	uint32_t stride;
	const struct trawl_event_type *type;
	bool direct;      /* the record has no dynamic parts: a row is the whole record */
};

enum {
	WINDOW_ROWS = 64,
	WINDOW_BYTES = 16 << 10, /* limit of a window: with large records it has fewer */
	WINDOWS_MAX = 4096,      /* with more streams * groups, each window is a single record */
	COMMON_BYTES = 16,       /* larger common parts are copied field by field */
};

/*
 * The common fields of a stream's next records, if they are adjacent in the record: filled column
 * by column like a window, so that one copy puts them into a record.
 */
struct common_rows {
	uint8_t *rows;
	uint32_t first, n; /* records first .. first + n - 1, in chunk order */
};

struct chunk_cursor {
	const struct decoded *d;
	struct copy *copies;
	struct copy *common;
	uint32_t ncommon;
	uint32_t common_from, common_size; /* their place in a record; size 0: not side by side */
	struct common_rows *common_rows;   /* by stream */
	struct plan_of_group *groups;
	struct window *windows; /* by stream and group; or, if shared by the streams, by group */
	size_t nwindows;
	bool shared;
	uint32_t *next; /* of each stream: number of the next event */
	struct buf record; /* the current record, if it has dynamic parts */
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

/* Prepares common_rows if the common fields are adjacent. Returns false if memory runs out. */
static bool join_common(struct chunk_cursor *c)
{
	uint32_t from = UINT32_MAX, end = 0, size = 0, covered = 0;

	for (const struct copy *f = c->common; f < c->common + c->ncommon; f++) {
		from = f->to < from ? f->to : from;
		end = f->to + f->size > end ? f->to + f->size : end;
		size = f->size > COMMON_BYTES ? COMMON_BYTES + 1 : size + f->size;
		if (size > COMMON_BYTES)
			return true;
	}
	if (c->shared || !size || size != end - from)
		return true;
	for (const struct copy *f = c->common; f < c->common + c->ncommon; f++)
		covered |= ((1u << f->size) - 1) << (f->to - from);
	if (covered != (1u << size) - 1)
		return true;
	c->common_from = from;
	c->common_size = size;
	c->common_rows = calloc(c->d->chunk.nstreams + 1u, sizeof(*c->common_rows));
	return c->common_rows;
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
	if (join_common(c))
		return c;
	chunk_cursor_free(c);
	return NULL;
}

void chunk_cursor_free(struct chunk_cursor *c)
{
	if (!c)
		return;
	for (size_t i = 0; c->windows && i < c->nwindows; i++)
		free(c->windows[i].ts);
	for (size_t i = 0; c->common_rows && i < c->d->chunk.nstreams; i++)
		free(c->common_rows[i].rows);
	free(c->common_rows);
	free(c->windows);
	free(c->copies);
	free(c->groups);
	free(c->next);
	buf_free(&c->record);
	free(c);
}

/* Copies elements i .. i + n - 1 of a column to n rows; `to` is the field in the first row. */
static void copy_column(uint8_t *to, size_t stride, const struct copy *c, uint32_t i, uint32_t n)
{
	const uint8_t *from = c->data + (size_t)i * c->size;

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

/* Fills the window with the group's records from i on. Bytes that no field covers are zero. */
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
	w->first = i;
	w->n = g->count - i < most ? g->count - i : most;
	memcpy(w->ts, g->ts + i, w->n * sizeof(*w->ts));
	for (uint32_t k = 0; k < p->nfixed; k++)
		copy_column(w->rows + p->fixed[k].to, stride, &p->fixed[k], i, w->n);
	return true;
}

/* Fills the rows with the common fields of the stream's records from n on. */
static bool fill_common(struct chunk_cursor *c, struct common_rows *r, uint32_t stream, uint32_t n)
{
	const struct trawl_stream *s = &c->d->chunk.streams[stream];
	uint32_t left = s->first + s->count - n;

	if (!r->rows)
		r->rows = malloc((size_t)WINDOW_ROWS * c->common_size);
	if (!r->rows)
		return false;
	r->first = n;
	r->n = left < WINDOW_ROWS ? left : WINDOW_ROWS;
	for (uint32_t i = 0; i < c->ncommon; i++)
		copy_column(r->rows + c->common[i].to - c->common_from, c->common_size,
			    &c->common[i], n, r->n);
	return true;
}

static inline bool copy_common(struct chunk_cursor *c, uint8_t *record, uint32_t stream, uint32_t n)
{
	struct common_rows *r;

	if (!c->common_size) {
		for (uint32_t i = 0; i < c->ncommon; i++)
			memcpy(record + c->common[i].to,
			       c->common[i].data + (size_t)n * c->common[i].size,
			       c->common[i].size);
		return true;
	}
	r = &c->common_rows[stream];
	if (n - r->first >= r->n && !fill_common(c, r, stream, n))
		return false;
	copy_few(record + c->common_from, r->rows + (size_t)(n - r->first) * c->common_size,
		 c->common_size);
	return true;
}

/*
 * Copies the dynamic parts behind the fixed part and stores their locations in it. The contract of
 * trawl_next() is a record in one piece; that costs 4 % of printing events with one text each.
 */
static void copy_dynamic(struct buf *r, const struct copy *c, uint32_t n, uint32_t i)
{
	for (; n; n--, c++) {
		uint32_t from = c->offsets[i], len = c->offsets[i + 1] - from;
		uint32_t at = (uint32_t)r->len - (c->place == TRAWL_REL_LOC ? c->to + 4 : 0);

		if (c->place != TRAWL_TAIL)
			put32(r->data + c->to, trawl_loc(len, at));
		if (len)
			memcpy(r->data + r->len, c->data + from, len);
		r->len += len;
	}
}

/* Makes a record with dynamic parts in c->record, or returns one that was stored whole. */
static int other_row(struct chunk_cursor *c, const uint8_t *row, uint32_t group, uint32_t i,
		     struct trawl_event *ev)
{
	const struct decoded_rows *whole = &c->d->rows[group];
	const struct plan_of_group *p = &c->groups[group];
	size_t len = ev->type->size;

	if (whole->data) {
		ev->record = whole->data + whole->offsets[i];
		ev->len = whole->offsets[i + 1] - whole->offsets[i];
		return 1;
	}
	for (uint32_t k = 0; k < p->ndynamic; k++)
		len += p->dynamic[k].offsets[i + 1] - p->dynamic[k].offsets[i];
	c->record.len = 0;
	if (!buf_reserve(&c->record, len + 1))
		return -1;
	memcpy(c->record.data, row, ev->type->size);
	c->record.len = ev->type->size;
	copy_dynamic(&c->record, p->dynamic, p->ndynamic, i);
	ev->record = c->record.data;
	ev->len = (uint32_t)c->record.len;
	return 1;
}

static struct window *window(struct chunk_cursor *c, uint32_t stream, uint32_t group)
{
	return &c->windows[c->shared ? group : (size_t)stream * c->d->chunk.ngroups + group];
}

void chunk_cursor_skip(struct chunk_cursor *c, uint32_t stream, uint32_t n)
{
	uint32_t left = c->d->chunk.streams[stream].count - c->next[stream];

	c->next[stream] += n < left ? n : left;
}

/*
 * Returns the row of the group's record with number i, after filling the window if it is not there;
 * UINT32_MAX if memory runs out.
 */
static inline uint32_t row_of(struct chunk_cursor *c, struct window *w, uint32_t group,
			      uint32_t number)
{
	if (number - w->first >= w->n && !fill(c, w, group, number))
		return UINT32_MAX;
	return number - w->first;
}

int chunk_cursor_at(struct chunk_cursor *c, uint32_t stream, uint32_t n, struct trawl_event *ev)
{
	const struct trawl_chunk *chunk = &c->d->chunk;
	uint32_t group = chunk->group_of[n];
	struct window *w = window(c, stream, group);
	uint32_t at = row_of(c, w, group, c->d->rank[n]);
	uint8_t *row;

	if (at == UINT32_MAX)
		return -1;
	row = w->rows + (size_t)at * w->stride;
	if (!copy_common(c, row, stream, n))
		return -1;
	ev->ts = w->ts[at];
	ev->source = chunk->source;
	ev->type = w->type;
	ev->cpu = chunk->streams[stream].cpu;
	ev->place = n;
	if (!w->direct)
		return other_row(c, row, group, w->first + at, ev);
	ev->record = row;
	ev->len = w->type->size;
	return 1;
}

int chunk_cursor_next(struct chunk_cursor *c, uint32_t stream, struct trawl_event *ev)
{
	const struct trawl_stream *s = &c->d->chunk.streams[stream];

	if (c->next[stream] >= s->count)
		return 0;
	return chunk_cursor_at(c, stream, s->first + c->next[stream]++, ev);
}
