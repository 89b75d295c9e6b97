/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "format/body.h"
#include "format/makesmall.h"
#include "format/payload.h"
#include "format/small.h"
#include "format/substream.h"
#include "format/walk.h"
#include "format/zdict.h"

enum {
	SUBSTREAMS = 5,         /* of a chunk's payload */
	LEVEL = 22,
	FRONT_AT = 8,           /* of the front check in a start block's body */
};

/* The section's comment, which other programs show: it names the program that reads the file. */
static const char comment[] = "trawl-decode";

struct maker {
	struct buf items;
	ZSTD_DCtx *z;
	struct room room;
	bool ended, compact;
};

static void add_item(struct maker *m, uint8_t kind, const void *head, size_t nhead, const void *p,
		     size_t n)
{
	buf_u8(&m->items, kind);
	buf_varint(&m->items, nhead + n);
	buf_put(&m->items, head, nhead);
	buf_put(&m->items, p, n);
}

/* Adds a chunk with uncompressed substreams: one zstd frame around all blocks compresses better. */
static bool add_chunk(struct maker *m, const uint8_t *block)
{
	uint8_t head[CHUNK_HEAD];
	struct buf payload = {0};
	struct chunk_head c;
	struct view in, stream;
	uint64_t version;
	bool ok = true;

	chunk_head_get(block, &c);
	in = (struct view){block + BLOCK_HEAD + CHUNK_HEAD, NULL, false};
	in.end = in.p + c.payload;
	version = view_varint(&in);
	m->compact |= version >= PAYLOAD_TICKS;
	buf_varint(&payload, version);
	for (int i = 0; i < SUBSTREAMS && ok; i++)
		ok = substream_get(&in, m->z, SMALL_FILE_MAX * 2, &m->room, &stream) &&
		     substream_put(&payload, NULL, NULL, stream, NULL);
	ok = ok && !in.bad && !view_left(&in) && !payload.failed;
	memcpy(head, block + BLOCK_HEAD, sizeof(head));
	put32(head + 8, (uint32_t)payload.len);
	put64(head + 36, 0);
	if (ok)
		add_item(m, BLOCK_CHUNK, head, sizeof(head), payload.data, payload.len);
	buf_free(&payload);
	return ok;
}

/* Adds a block as an item; others' blocks and the index are left out. */
static bool add_block(struct maker *m, const struct walked *f)
{
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
	/* The reader recomputes hashes of blocks that change. */
	if (ok && (f->b.kind == BLOCK_START || f->b.kind == BLOCK_SOURCE)) {
		struct buf copy = {0};

		buf_put(&copy, body.p, view_left(&body));
		if (!copy.failed)
			put64(copy.data + FRONT_AT, 0);
		add_item(m, f->b.kind, NULL, 0, copy.data, copy.len);
		ok = !copy.failed;
		buf_free(&copy);
	} else if (ok && f->b.kind == BLOCK_GROUP) {
		/* Its body is a row of items already. */
		buf_put(&m->items, body.p, view_left(&body));
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
		ok = sections == 1 && !m->ended && f.at < SMALL_ADDRESS && add_block(m, &f) &&
		     m->items.len < (size_t)1 << SMALL_BITS;
	}
	input_close(&in);
	return ok && step == WALK_END && m->ended && !damage.blocks && !damage.cut &&
		!damage.junk && !m->items.failed;
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

bool small_pack(struct buf *out, bool compact, const uint8_t *items, size_t len)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();
	struct buf frame = {0};
	size_t n = 0;

	if (!z || !buf_reserve(&frame, ZSTD_compressBound(len)))
		goto out;
	ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(z, ZSTD_c_dictIDFlag, 0);
	if (ZSTD_isError(ZSTD_CCtx_loadDictionary(z, zdict2, zdict2_len)))
		goto out;
	n = ZSTD_compress2(z, frame.data, frame.cap, items, len);
	if (ZSTD_isError(n))
		n = 0;
	put_header(out);
	block_build_frame(out, compact ? SMALL_COMPACT : SMALL_VERSION, BLOCK_START, frame.data, n);
out:
	ZSTD_freeCCtx(z);
	buf_free(&frame);
	return n && !out->failed;
}

/* Whether a reader has room for the blocks that it makes of the items. */
static bool is_readable(const struct buf *out)
{
	struct damage damage = {0};
	struct walked f;
	struct walker w;
	struct input in;
	enum walk step;

	input_memory(&in, out->data, out->len, false);
	walk_init(&w, &in, &damage, 0, UINT64_MAX);
	while ((step = walk_next(&w, &f)) == WALK_BLOCK)
		;
	input_close(&in);
	return step == WALK_END && !damage.blocks && !damage.cut;
}

bool small_build(struct buf *out, const uint8_t *file, size_t n)
{
	struct maker m = {.z = ZSTD_createDCtx()};
	bool ok = m.z && n <= SMALL_FILE_MAX && gather(&m, file, n) &&
		  small_pack(out, m.compact, m.items.data, m.items.len) && out->len < n &&
		  is_readable(out);

	ZSTD_freeDCtx(m.z);
	free(m.room.p);
	buf_free(&m.items);
	return ok;
}

/* Opens the file for reading: a writer's descriptor is often write-only. */
static int open_again(int fd)
{
	char path[32];

	if ((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR)
		return dup(fd);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Reads a whole file of at most SMALL_FILE_MAX bytes. Returns NULL on failure. */
static uint8_t *read_file(int fd, size_t *n)
{
	struct stat st;
	uint8_t *p = NULL;
	int in;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size || st.st_size > SMALL_FILE_MAX)
		return NULL;
	in = open_again(fd);
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

/*
 * Overwrites the file with its small form; `old` are its bytes. If that fails, writes the old bytes
 * again and returns false. If that fails too, the blocks after the overwritten part are still
 * readable.
 */
static bool overwrite(int fd, const struct buf *small, const uint8_t *old)
{
	ssize_t n = pwrite(fd, small->data, small->len, 0);

	if (n == (ssize_t)small->len && !ftruncate(fd, (off_t)n))
		return true;
	for (ssize_t at = 0, k = 1; at < n && k > 0; at += k)
		k = pwrite(fd, old + at, (size_t)(n - at), at);
	return false;
}

bool trawl_make_small(int fd)
{
	struct buf out = {0};
	size_t n;
	uint8_t *p = read_file(fd, &n);
	bool done = p && small_build(&out, p, n) && overwrite(fd, &out, p);

	free(p);
	buf_free(&out);
	return done;
}
