/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "format/body.h"
#include "format/index.h"
#include "format/substream.h"
#include "format/small.h"
#include "format/walk.h"
#include "format/zdict.h"

enum {
	SECTIONS = 5,           /* of a chunk's payload */
	LEVEL = 22,
	FRONT_AT = 8,           /* of the front check in a start block's body */
	INTERFACE_AT = 8,       /* of the interface's hash in a source's */
	LINKTYPE_AT = 2,
	SNAPLEN = 262144,
};

/* What somebody sees who opens the file in another program. */
static const char comment[] = "trawl capture: trawl-decode FILE";

/* ---- expanding ---------------------------------------------------------------------------- */

/* The blocks of a section that is being put together. */
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

/* The interface that a source had: its link type is all that is kept of it. */
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
		return kind > BLOCK_END; /* of a newer writer: passed over */
	}
}

static bool put_items(struct builder *b, uint8_t *p, size_t n)
{
	struct view v = {p, p + n, false};
	struct buf end = {0};

	while (view_left(&v)) {
		uint8_t kind = view_u8(&v);
		size_t len = (size_t)view_varint_max(&v, view_left(&v));
		const uint8_t *body = view_bytes(&v, len);

		if (v.bad || !put_item(b, kind, p + (body - p), len))
			return false;
	}
	if (!b->started)
		return false;
	end_put(&end, &(struct end_mark){.events = b->events, .chunks = b->chunks, .blocks = b->seq});
	put_block(b, BLOCK_END, end.data, end.len);
	buf_free(&end);
	return !b->out->failed && b->out->len < (size_t)1 << SMALL_BITS;
}

uint64_t small_expand(struct input *in, uint64_t at, const uint8_t *p, const struct block *b,
		      uint64_t front, uint64_t *len)
{
	struct builder out = {.out = &in->small, .front = front};
	struct buf tmp = {0};
	struct view body;
	uint64_t address = 0;

	in->small.len = 0;
	in->small_at = 0;
	if (at >> (63 - SMALL_BITS) || !(b->flags & BLOCK_ZSTD) || !block_body(p, b, &tmp, &body) ||
	    tmp.len >= (size_t)1 << SMALL_BITS || !put_items(&out, tmp.data, tmp.len))
		goto out;
	in->small_at = at + 1;
	*len = in->small.len;
	address = SMALL_ADDRESS | at << SMALL_BITS;
out:
	buf_free(&tmp);
	return address;
}

/* Reads again what was expanded before. */
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

const uint8_t *small_at(struct input *in, uint64_t address, size_t n, size_t *got)
{
	uint64_t at = (address & ~SMALL_ADDRESS) >> SMALL_BITS;
	size_t off = address & ((1u << SMALL_BITS) - 1);

	*got = 0;
	if (in->small_at != at + 1 && !load(in, at))
		return in->small.data;
	if (off > in->small.len)
		return in->small.data;
	*got = in->small.len - off < n ? in->small.len - off : n;
	return in->small.data + off;
}

/* ---- making ------------------------------------------------------------------------------- */

struct maker {
	struct buf items;
	ZSTD_DCtx *z;
	struct room room;
	bool ended;
};

static void add_item(struct maker *m, uint8_t kind, const void *head, size_t nhead, const void *p,
		     size_t n)
{
	buf_u8(&m->items, kind);
	buf_varint(&m->items, nhead + n);
	buf_put(&m->items, head, nhead);
	buf_put(&m->items, p, n);
}

/* A chunk with its sections not compressed: the frame around them does that better. */
static bool add_chunk(struct maker *m, const uint8_t *block)
{
	uint8_t head[CHUNK_HEAD];
	struct buf payload = {0};
	struct chunk_head c;
	struct view in, section;
	bool ok = true;

	chunk_head_get(block, &c);
	in = (struct view){block + BLOCK_HEAD + CHUNK_HEAD, NULL, false};
	in.end = in.p + c.payload;
	buf_varint(&payload, view_varint(&in));
	for (int i = 0; i < SECTIONS && ok; i++)
		ok = substream_get(&in, m->z, SMALL_FILE_MAX * 2, &m->room, &section) &&
		     substream_put(&payload, NULL, NULL, section.p, view_left(&section), NULL, 0);
	ok = ok && !in.bad && !view_left(&in) && !payload.failed;
	memcpy(head, block + BLOCK_HEAD, sizeof(head));
	put32(head + 8, (uint32_t)payload.len);
	put64(head + 36, 0);
	if (ok)
		add_item(m, BLOCK_CHUNK, head, sizeof(head), payload.data, payload.len);
	buf_free(&payload);
	return ok;
}

static bool add_block(struct maker *m, const struct walked *f)
{
	static const uint8_t none[8];
	struct buf tmp = {0};
	struct view body;
	bool ok = true;

	if (f->b.kind == BLOCK_FOREIGN || f->b.kind == BLOCK_INDEX)
		return true;
	if (f->b.kind == BLOCK_CHUNK)
		return add_chunk(m, f->p);
	if (f->b.kind == BLOCK_END) {
		m->ended = true;
		return true;
	}
	ok = !block_is_small(&f->b) && block_body(f->p, &f->b, &tmp, &body);
	/* Hashes of blocks that will be others are made anew by the reader. */
	if (ok && (f->b.kind == BLOCK_START || f->b.kind == BLOCK_SOURCE)) {
		struct buf copy = {0};

		buf_put(&copy, body.p, view_left(&body));
		if (!copy.failed)
			memcpy(copy.data + FRONT_AT, none, sizeof(none));
		add_item(m, f->b.kind, NULL, 0, copy.data, copy.len);
		ok = !copy.failed;
		buf_free(&copy);
	} else if (ok) {
		add_item(m, f->b.kind, NULL, 0, body.p, view_left(&body));
	}
	buf_free(&tmp);
	return ok;
}

static bool gather(struct maker *m, const uint8_t *file, size_t n)
{
	struct damage damage = {0};
	unsigned int sections = 0;
	struct walked f;
	struct walker w;
	struct input in;
	enum walk step;
	bool ok = true;

	input_memory(&in, file, n, false);
	walk_init(&w, &in, &damage, 0, UINT64_MAX);
	w.payloads = true;
	while (ok && (step = walk_next(&w, &f)) == WALK_BLOCK) {
		sections += f.b.kind == BLOCK_FOREIGN && f.b.type == PCAPNG_SHB;
		ok = sections == 1 && !m->ended && f.at < SMALL_ADDRESS && add_block(m, &f);
	}
	input_close(&in);
	return ok && step == WALK_END && m->ended && !damage.blocks && !damage.cut && !damage.junk &&
	       !m->items.failed && m->items.len < (size_t)1 << SMALL_BITS;
}

static void put_header(struct buf *out)
{
	const uint16_t len = sizeof(comment) - 1; /* a multiple of 4 */
	const uint32_t total = 28 + 4 + len + 4;

	buf_u32(out, PCAPNG_SHB);
	buf_u32(out, total);
	buf_u32(out, PCAPNG_BOM);
	buf_u16(out, 1);
	buf_u16(out, 0);
	buf_u64(out, UINT64_MAX);
	buf_u16(out, 1); /* opt_comment */
	buf_u16(out, len);
	buf_put(out, comment, len);
	buf_u32(out, 0);
	buf_u32(out, total);
}

static bool put_small(struct buf *out, const struct buf *items)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();
	struct buf frame = {0};
	size_t n = 0;

	if (!z || !buf_reserve(&frame, ZSTD_compressBound(items->len)))
		goto out;
	ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, LEVEL);
	n = ZSTD_compress_usingDict(z, frame.data, frame.cap, items->data, items->len, zdict,
				    zdict_len, LEVEL);
	if (ZSTD_isError(n))
		n = 0;
	put_header(out);
	block_build_frame(out, SMALL_VERSION, BLOCK_START, frame.data, n);
out:
	ZSTD_freeCCtx(z);
	buf_free(&frame);
	return n && !out->failed;
}

bool small_build(struct buf *out, const uint8_t *file, size_t n)
{
	struct maker m = {.z = ZSTD_createDCtx()};
	bool ok = m.z && n <= SMALL_FILE_MAX && gather(&m, file, n) && put_small(out, &m.items) &&
		  out->len < n;

	ZSTD_freeDCtx(m.z);
	free(m.room.p);
	buf_free(&m.items);
	return ok;
}

/* All of a file of at most SMALL_FILE_MAX bytes, or NULL. What writes a file often cannot read it. */
static uint8_t *read_file(int fd, size_t *n)
{
	char path[32];
	struct stat st;
	uint8_t *p = NULL;
	int in;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size || st.st_size > SMALL_FILE_MAX)
		return NULL;
	in = open(path, O_RDONLY | O_CLOEXEC);
	*n = (size_t)st.st_size;
	if (in >= 0)
		p = malloc(*n);
	if (p && pread(in, p, *n, 0) != (ssize_t)*n) {
		free(p);
		p = NULL;
	}
	if (in >= 0)
		close(in);
	return p;
}

bool trawl_make_small(int fd)
{
	struct buf out = {0};
	size_t n;
	uint8_t *p = read_file(fd, &n);
	bool done = p && small_build(&out, p, n) &&
		    pwrite(fd, out.data, out.len, 0) == (ssize_t)out.len &&
		    !ftruncate(fd, (off_t)out.len);

	free(p);
	buf_free(&out);
	return done;
}
