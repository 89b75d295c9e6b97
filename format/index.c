/* SPDX-License-Identifier: MIT */
#include "format/index.h"

/* Bytes of an index block; both reader and writer hold the contents of one in memory. */
enum { INDEX_STEP = 512 << 10 };

/* The members in the order of docs/format.md, "Index" and "Bodies". */
#define REF_PARTS(F, Z) \
	F(u64, at) F(u64, first) F(u64, last) F(u32, len) F(u32, count) F(u16, source) Z(u16)
#define END_PARTS(F, Z) \
	F(u64, section) F(u64, index) F(u64, events) F(u64, chunks) F(u64, lost) F(u64, blocks)

static void item_put(struct buf *b, enum block_kind kind, uint64_t at, const struct buf *body)
{
	buf_u32(b, kind);
	buf_u32(b, (uint32_t)body->len);
	buf_u64(b, at);
	buf_put(b, body->data, body->len);
}

void index_item(struct index *x, enum block_kind kind, uint64_t at, const struct buf *body)
{
	if (!x->none)
		item_put(&x->items, kind, at, body);
}

static void ref_put(struct buf *b, const struct chunk_ref *s)
{
	REF_PARTS(PUT_PART, PUT_ZERO)
}

void index_ref(struct index *x, const struct chunk_ref *r)
{
	if (!x->none)
		ref_put(&x->refs, r);
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

bool index_ref_get(struct view *v, struct chunk_ref *s)
{
	if (view_left(v) < INDEX_REF)
		return false;
	REF_PARTS(GET_PART, GET_ZERO)
	return true;
}

void end_put(struct buf *b, const struct end_mark *s)
{
	END_PARTS(PUT_PART, PUT_ZERO)
}

bool end_get(struct view *v, struct end_mark *s)
{
	END_PARTS(GET_PART, GET_ZERO)
	return !v->bad;
}
