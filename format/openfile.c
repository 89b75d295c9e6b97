/* SPDX-License-Identifier: MIT */
#include "format/openfile.h"

#include <errno.h>
#include <string.h>

bool reader_wants_all(const struct trawl_reader *r)
{
	const uint64_t *s = r->range.sources;

	return !(s[0] | s[1] | s[2] | s[3]);
}

bool reader_wants(const struct trawl_reader *r, const struct trawl_source *s)
{
	uint16_t id = s->id;

	return reader_wants_all(r) || (id < 256 && r->range.sources[id / 64] >> id % 64 & 1);
}

bool chunk_ref_get(const struct walked *f, uint64_t section, struct chunk_ref *ref)
{
	struct chunk_head c;

	chunk_head_get(f->p, &c);
	*ref = (struct chunk_ref){
		.at = f->at - section, .first = c.first, .last = c.last, .len = f->b.len,
		.count = c.count, .source = c.source,
	};
	return c.source < SOURCES_MAX && c.first <= c.last;
}

bool reader_body(struct trawl_reader *r, const uint8_t *p, const struct block *b, struct view *body)
{
	bool good;

	errno = 0;
	good = block_body(p, b, &r->tmp, body);
	r->catalog.budget.exhausted |= !good && errno == ENOMEM;
	return good;
}

bool reader_own_body(struct trawl_reader *r, uint64_t at, enum block_kind kind, struct view *body,
		     uint32_t *len)
{
	struct block b;
	const uint8_t *p;
	size_t got;

	p = input_at(&r->in, at, BLOCK_HEAD, &got);
	if (got < BLOCK_HEAD || block_head(p, got, &b) != BLOCK_OK || b.kind != kind)
		return false;
	p = input_at(&r->in, at, b.len, &got);
	*len = b.len;
	return got == b.len && block_whole(p, &b) && reader_body(r, p, &b, body);
}

bool reader_index(struct trawl_reader *r, uint64_t at, struct view *body)
{
	uint32_t len;

	if (!r->index.len || r->index_at != at) {
		r->index.len = 0;
		if (!reader_own_body(r, at, BLOCK_INDEX, body, &len))
			return false;
		buf_put(&r->index, body->p, view_left(body));
		r->index_at = at;
	}
	*body = (struct view){ r->index.data, r->index.data + r->index.len, false };
	r->catalog.budget.exhausted |= r->index.failed;
	return !r->index.failed;
}

int reader_unread(const struct trawl_reader *r, struct trawl_error *err)
{
	if (r->in.error == ESTALE)
		return trawl_fail(err, TRAWL_CANNOT, "%s: changed while it was read; read it again",
				  r->name);
	return trawl_fail(err, TRAWL_CANNOT, "%s: cannot be read: %s", r->name,
			  strerror(r->in.error));
}
