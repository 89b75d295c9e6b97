/* SPDX-License-Identifier: MIT */
#include "index.h"

enum { INDEX_STEP = 1 << 20 };

static void item_put(struct buf *b, enum block_kind kind, uint64_t at, const struct buf *body)
{
	buf_u32(b, kind);
	buf_u32(b, (uint32_t)body->len);
	buf_u64(b, at);
	buf_put(b, body->data, body->len);
}

void index_item(struct index *x, enum block_kind kind, uint64_t at, const struct buf *body)
{
	item_put(&x->items, kind, at, body);
}

void index_ref(struct index *x, const struct chunk_ref *r)
{
	buf_u64(&x->refs, r->at);
	buf_u64(&x->refs, r->first);
	buf_u64(&x->refs, r->last);
	buf_u32(&x->refs, r->len);
	buf_u32(&x->refs, r->count);
	buf_u16(&x->refs, r->source);
	buf_u16(&x->refs, 0);
	x->chunks++;
	x->events += r->count;
}

bool index_is_full(const struct index *x)
{
	return x->items.len + x->refs.len > INDEX_STEP;
}

void index_take(struct index *x, uint64_t at, struct buf *body)
{
	buf_u64(body, x->last ? at - x->last : 0);
	buf_put(body, x->items.data, x->items.len);
	if (x->refs.len)
		item_put(body, BLOCK_REFS, 0, &x->refs);
	body->failed |= x->items.failed | x->refs.failed;
	x->items.len = x->refs.len = 0;
	x->last = at;
}

void index_free(struct index *x)
{
	buf_free(&x->items);
	buf_free(&x->refs);
}

bool index_next(struct view *v, enum block_kind *kind, uint64_t *at, struct view *body)
{
	uint32_t len;

	if (!view_left(v))
		return false;
	*kind = view_u32(v);
	len = view_u32(v);
	*at = view_u64(v);
	body->p = view_bytes(v, len);
	body->end = body->p ? body->p + len : NULL;
	body->bad = v->bad;
	return !v->bad;
}

bool index_ref_get(struct view *v, struct chunk_ref *r)
{
	if (view_left(v) < INDEX_REF)
		return false;
	r->at = view_u64(v);
	r->first = view_u64(v);
	r->last = view_u64(v);
	r->len = view_u32(v);
	r->count = view_u32(v);
	r->source = view_u16(v);
	view_u16(v);
	return true;
}

void end_put(struct buf *b, const struct end_mark *e)
{
	buf_u64(b, e->section);
	buf_u64(b, e->index);
	buf_u64(b, e->events);
	buf_u64(b, e->chunks);
	buf_u64(b, e->lost);
	buf_u64(b, e->blocks);
}

bool end_get(struct view *v, struct end_mark *e)
{
	e->section = view_u64(v);
	e->index = view_u64(v);
	e->events = view_u64(v);
	e->chunks = view_u64(v);
	e->lost = view_u64(v);
	e->blocks = view_u64(v);
	return !v->bad;
}
