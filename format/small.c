/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>
#include <zstd.h>

#include "format/body.h"
#include "format/index.h"
#include "format/substream.h"
#include "format/small.h"

enum {
	FRONT_AT = 8,           /* of the front check in a start block's body */
	INTERFACE_AT = 8,       /* of the interface's hash in a source's */
	LINKTYPE_AT = 2,
	SNAPLEN = 262144,
};

/* ---- expanding ---------------------------------------------------------------------------- */

/* The blocks of a section that is being expanded. */
struct builder {
	struct buf *out;
	uint32_t seq;
	uint64_t front, events, chunks;
	bool started;
};

static void put_block(struct builder *b, enum block_kind kind, const void *body, size_t len)
{
	block_build_version(b->out, 2, kind, b->seq++, body, len);
}

/* Rebuilds the interface block before a source block; only its link type is stored. */
static void put_source(struct builder *b, uint8_t *body, size_t len)
{
	uint8_t idb[20];

	put32(idb, PCAPNG_IDB);
	put32(idb + 4, sizeof(idb));
	put16(idb + 8, get16(body + LINKTYPE_AT));
	put16(idb + 10, 0);
	put32(idb + 12, SNAPLEN);
	put32(idb + 16, sizeof(idb));
	buf_put(b->out, idb, sizeof(idb));
	put64(body + INTERFACE_AT, XXH64(idb, sizeof(idb), 0));
	put_block(b, BLOCK_SOURCE, body, len);
}

static bool put_chunk(struct builder *b, const uint8_t *body, size_t len)
{
	uint8_t head[BLOCK_HEAD + CHUNK_HEAD], tail[8];
	struct chunk_head c;
	size_t n;

	chunk_head_get(body - BLOCK_HEAD, &c);
	if (c.payload != len - CHUNK_HEAD)
		return false;
	c.check = XXH64(body + CHUNK_HEAD, c.payload, 0);
	n = block_build_chunk(head, tail, b->seq++, &c);
	buf_put(b->out, head, sizeof(head));
	buf_put(b->out, body + CHUNK_HEAD, c.payload);
	buf_put(b->out, tail, n);
	b->events += c.count;
	b->chunks++;
	return true;
}

static bool put_item(struct builder *b, uint8_t kind, uint8_t *body, size_t len)
{
	if ((kind == BLOCK_START) == b->started)
		return false;
	switch (kind) {
	case BLOCK_START:
		if (len < START_BODY)
			return false;
		b->started = true;
		put64(body + FRONT_AT, b->front);
		put_block(b, BLOCK_START, body, len);
		return true;
	case BLOCK_SOURCE:
		if (len < 16)
			return false;
		put_source(b, body, len);
		return true;
	case BLOCK_CHUNK:
		return len >= CHUNK_HEAD && put_chunk(b, body, len);
	case BLOCK_EVENT_TYPE:
	case BLOCK_META:
	case BLOCK_SYNC:
	case BLOCK_LOSS:
		put_block(b, kind, body, len);
		return true;
	default:
		return kind > BLOCK_END; /* a kind of a newer version: ignored */
	}
}

static bool put_items(struct builder *b, uint8_t *p, size_t n)
{
	struct view v = {p, p + n, false};
	struct buf end = {0};
	bool complete;

	while (view_left(&v)) {
		uint8_t kind = view_u8(&v);
		size_t len = (size_t)view_varint_max(&v, view_left(&v));
		const uint8_t *body = view_bytes(&v, len);

		if (v.bad || b->out->len >= (size_t)1 << SMALL_ROOM ||
		    !put_item(b, kind, p + (body - p), len))
			return false;
	}
	if (!b->started)
		return false;
	end_put(&end,
		&(struct end_mark){.events = b->events, .chunks = b->chunks, .blocks = b->seq});
	complete = !end.failed;
	put_block(b, BLOCK_END, end.data, end.len);
	buf_free(&end);
	return complete && !b->out->failed && b->out->len < (size_t)1 << SMALL_ROOM;
}

static const uint8_t *small_at(struct input *in, uint64_t address, size_t n, size_t *got);

uint64_t small_expand(struct input *in, uint64_t at, const uint8_t *p, const struct block *b,
		      uint64_t front, uint64_t *len)
{
	struct builder out = {.out = &in->small, .front = front};
	struct buf tmp = {0};
	struct view body;
	uint64_t address = 0;

	in->small.len = 0;
	in->small_at = 0;
	errno = 0;
	if (at >> (63 - SMALL_ROOM) || !(b->flags & BLOCK_ZSTD) || !block_body(p, b, &tmp, &body) ||
	    tmp.len >= (size_t)1 << SMALL_BITS || !put_items(&out, tmp.data, tmp.len))
		goto out;
	in->small_at = at + 1;
	in->overlay = small_at;
	*len = in->small.len;
	address = SMALL_ADDRESS | at << SMALL_ROOM;
out:
	if (!address && errno == ENOMEM)
		in->error = ENOMEM;
	buf_free(&tmp);
	return address;
}

/* Expands the section of an address again, if in->small has another one. */
static bool load(struct input *in, uint64_t at)
{
	struct block b;
	const uint8_t *p;
	uint64_t len;
	size_t got;

	if (!in->seekable)
		return false;
	p = input_at(in, at, BLOCK_HEAD, &got);
	if (got < BLOCK_HEAD || block_head(p, got, &b) != BLOCK_OK || !block_is_small(&b))
		return false;
	p = input_at(in, at, b.len, &got);
	return got == b.len && block_whole(p, &b) && small_expand(in, at, p, &b, 0, &len);
}

/* The function for input.overlay. */
static const uint8_t *small_at(struct input *in, uint64_t address, size_t n, size_t *got)
{
	uint64_t at = (address & ~SMALL_ADDRESS) >> SMALL_ROOM;
	size_t off = address & ((1u << SMALL_ROOM) - 1);

	*got = 0;
	if (in->small_at != at + 1 && !load(in, at))
		return in->small.data;
	if (off > in->small.len)
		return in->small.data;
	*got = in->small.len - off < n ? in->small.len - off : n;
	return in->small.data + off;
}
