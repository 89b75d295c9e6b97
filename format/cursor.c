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

struct chunk_cursor {
	const struct decoded *d;
	struct copy *copies;
	struct copy *common;
	uint32_t ncommon;
	struct plan_of_group *groups;
	uint32_t *next; /* of each stream: events given */
	struct buf record;
	uint32_t cleared; /* group whose uncovered bytes are zero in the record now */
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
	if (!c->copies || !c->groups || !c->next) {
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
	c->cleared = UINT32_MAX;
	return c;
}

void chunk_cursor_free(struct chunk_cursor *c)
{
	if (!c)
		return;
	free(c->copies);
	free(c->groups);
	free(c->next);
	buf_free(&c->record);
	free(c);
}

static inline void copy_fixed(uint8_t *record, const struct copy *c, uint32_t n, uint32_t i)
{
	for (const struct copy *end = c + n; c < end; c++) {
		const uint8_t *from = c->data + (size_t)i * c->size;
		uint8_t *to = record + c->to;

		switch (c->size) {
		case 1:
			*to = *from;
			break;
		case 2:
			memcpy(to, from, 2);
			break;
		case 4:
			memcpy(to, from, 4);
			break;
		case 8:
			memcpy(to, from, 8);
			break;
		default:
			memcpy(to, from, c->size);
		}
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

static int whole_row(struct chunk_cursor *c, const struct decoded_rows *rows, uint32_t i,
		     struct trawl_event *ev)
{
	ev->record = rows->data + rows->offsets[i];
	ev->len = rows->offsets[i + 1] - rows->offsets[i];
	return 1;
}

int chunk_cursor_next(struct chunk_cursor *c, uint32_t stream, struct trawl_event *ev)
{
	const struct trawl_chunk *chunk = &c->d->chunk;
	const struct trawl_stream *s = &chunk->streams[stream];
	const struct plan_of_group *p;
	const struct trawl_group *g;
	uint32_t n, i, group;

	if (c->next[stream] >= s->count)
		return 0;
	n = s->first + c->next[stream]++;
	i = c->d->rank[n];
	group = chunk->group_of[n];
	g = &chunk->groups[group];
	p = &c->groups[group];
	ev->ts = g->ts[i];
	ev->source = chunk->source;
	ev->type = g->type;
	ev->cpu = s->cpu;
	if (c->d->rows[group].data)
		return whole_row(c, &c->d->rows[group], i, ev);
	c->record.len = 0;
	if (!buf_reserve(&c->record, g->type->size + 1u))
		return 0;
	if (c->cleared != group)
		memset(c->record.data, 0, g->type->size);
	c->cleared = group;
	c->record.len = g->type->size;
	copy_fixed(c->record.data, c->common, c->ncommon, n);
	copy_fixed(c->record.data, p->fixed, p->nfixed, i);
	if (p->ndynamic)
		copy_dynamic(&c->record, p->dynamic, p->ndynamic, i);
	ev->record = c->record.data;
	ev->len = (uint32_t)c->record.len;
	return 1;
}
