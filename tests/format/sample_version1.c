/* SPDX-License-Identifier: MIT */
/* A file of version 1 of the format: bodies are uncompressed, or frames without a dictionary. */
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "format/block.h"
#include "format/index.h"
#include "tests/format/sample.h"
#include "tests/format/sample_codings.h"

struct older {
	struct buf out;
	struct index index;
};

static void set_check(uint8_t *block, size_t body)
{
	put64(block + 32, XXH64(block + BLOCK_HEAD, body, XXH64(block, 32, 0)));
}

static void put_body(struct older *o, const struct block *b, const struct view *body)
{
	size_t at = o->out.len, len = view_left(body), bound = ZSTD_compressBound(len);
	uint8_t *frame = malloc(bound);
	size_t n = frame ? ZSTD_compress(frame, bound, body->p, len, 1) : len;
	bool smaller = b->kind == BLOCK_EVENT_TYPE && !ZSTD_isError(n) && n < len;

	block_build_version(&o->out, 1, b->kind, b->seq, smaller ? frame : body->p,
			    smaller ? n : len);
	if (smaller && !o->out.failed) {
		o->out.data[at + 26] = BLOCK_ZSTD;
		set_check(o->out.data + at, n);
	}
	free(frame);
}

static void put_index(struct older *o, const struct block *b)
{
	struct buf body = { 0 };

	index_take(&o->index, o->out.len, &body);
	put_body(o, b, &(struct view){ body.data, body.data + body.len, false });
	buf_free(&body);
}

static void put_end(struct older *o, const struct block *b, struct view *old)
{
	struct end_mark mark = { 0 };
	struct buf body = { 0 };

	end_get(old, &mark);
	mark.section = o->out.len;
	mark.index = o->out.len - o->index.last;
	end_put(&body, &mark);
	put_body(o, b, &(struct view){ body.data, body.data + body.len, false });
	buf_free(&body);
}

static void put_chunk(struct older *o, const uint8_t *p, const struct block *b)
{
	struct chunk_ref ref = { .at = o->out.len, .len = b->len };
	struct chunk_head c;

	chunk_head_get(p, &c);
	ref.first = c.first;
	ref.last = c.last;
	ref.count = c.count;
	ref.source = c.source;
	index_ref(&o->index, &ref);
	buf_put(&o->out, p, b->len);
	if (o->out.failed)
		return;
	o->out.data[ref.at + 25] = 1;
	set_check(o->out.data + ref.at, CHUNK_HEAD);
}

static bool put_block(struct older *o, const uint8_t *p, const struct block *b)
{
	struct buf tmp = { 0 }, body;
	struct view v;

	if (b->kind == BLOCK_FOREIGN) {
		buf_put(&o->out, p, b->len);
		return true;
	}
	if (b->kind == BLOCK_CHUNK) {
		put_chunk(o, p, b);
		return true;
	}
	if (!block_body(p, b, &tmp, &v))
		return false;
	body = (struct buf){ .data = (uint8_t *)v.p, .len = view_left(&v) };
	if (b->kind == BLOCK_INDEX) {
		put_index(o, b);
	} else if (b->kind == BLOCK_END) {
		put_end(o, b, &v);
	} else {
		if (b->kind != BLOCK_START)
			index_item(&o->index, b->kind, o->out.len, &body);
		put_body(o, b, &v);
	}
	buf_free(&tmp);
	return true;
}

int sample_version1(int fd, struct trawl_error *err)
{
	struct older o = { 0 };
	struct block b;
	size_t n;
	uint8_t *p = sample_bytes("clocks", &n);
	bool ok = true;

	for (size_t at = 0; ok && at < n; at += b.len)
		ok = block_head(p + at, n - at, &b) == BLOCK_OK && put_block(&o, p + at, &b);
	ok = ok && !o.out.failed && write(fd, o.out.data, o.out.len) == (ssize_t)o.out.len;
	close(fd);
	index_free(&o.index);
	buf_free(&o.out);
	free(p);
	return ok ? 0 : trawl_fail(err, TRAWL_CANNOT, "the sample cannot be written");
}
