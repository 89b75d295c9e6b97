/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <xxhash.h>
#include <zstd.h>

#include "format/block.h"
#include "format/rule.h"
#include "format/zdict.h"

/* Bytes before the check. Their hash is the seed of the hash of the body, or of the chunk head. */
enum { HEAD_CHECKED = 32 };

static uint64_t block_check(const uint8_t *head, const void *body, size_t len)
{
	return XXH64(body, len, XXH64(head, HEAD_CHECKED, 0));
}

struct head {
	uint8_t kind, version, flags;
	uint32_t seq;
};

static void head_put(uint8_t *head, struct head h, size_t body, size_t checked, const void *bytes)
{
	uint8_t pad = (4 - body % 4) % 4;

	put32(head, BLOCK_TYPE);
	put32(head + 4, (uint32_t)(BLOCK_OVERHEAD + body + pad));
	memcpy(head + 8, block_uuid, sizeof(block_uuid));
	head[24] = h.kind;
	head[25] = h.version;
	head[26] = h.flags;
	head[27] = pad;
	put32(head + 28, h.seq);
	put64(head + HEAD_CHECKED, block_check(head, bytes, checked));
}

/* Smaller bodies are not compressed: they gain nothing. The format forbids it for end blocks. */
enum { COMPRESS_FROM = END_BODY + 12, COMPRESS_LEVEL = 6 };

static bool body_compress(struct buf *z, const void *body, size_t len)
{
	ZSTD_CCtx *c;
	size_t n;

	if (len < COMPRESS_FROM || len > BODY_RAW_MAX || !buf_reserve(z, ZSTD_compressBound(len)))
		return false;
	c = ZSTD_createCCtx();
	if (!c)
		return false;
	n = ZSTD_compress_usingDict(c, z->data, z->cap, body, len, zdict, zdict_len,
				    COMPRESS_LEVEL);
	ZSTD_freeCCtx(c);
	if (ZSTD_isError(n) || n >= len)
		return false;
	z->len = n;
	return true;
}

static void build(struct buf *out, struct head h, const void *body, size_t len)
{
	uint8_t head[BLOCK_HEAD];

	head_put(head, h, len, len, body);
	buf_put(out, head, sizeof(head));
	buf_put(out, body, len);
	buf_put(out, "\0\0\0", head[27]);
	buf_put(out, head + 4, 4);
}

void block_build(struct buf *out, enum block_kind kind, uint32_t seq, const void *body, size_t len)
{
	struct head h = { kind, FORMAT_WRITTEN, 0, seq };
	struct buf z = { 0 };

	if (body_compress(&z, body, len)) {
		h.flags = BLOCK_ZSTD | BLOCK_DICTIONARY;
		body = z.data;
		len = z.len;
	}
	build(out, h, body, len);
	buf_free(&z);
}

void block_build_version(struct buf *out, uint8_t version, enum block_kind kind, uint32_t seq,
			 const void *body, size_t len)
{
	build(out, (struct head){ kind, version, 0, seq }, body, len);
}

void block_build_frame(struct buf *out, uint8_t version, enum block_kind kind, const void *frame,
		       size_t len)
{
	build(out, (struct head){ kind, version, BLOCK_ZSTD | BLOCK_DICTIONARY2, 0 }, frame, len);
}

size_t block_build_chunk(uint8_t *head, uint8_t *tail, uint32_t seq, const struct chunk_head *c)
{
	uint8_t *body = head + BLOCK_HEAD;

	put16(body, c->source);
	put16(body + 2, c->flags);
	put32(body + 4, c->count);
	put32(body + 8, c->payload);
	put64(body + 12, c->first);
	put64(body + 20, c->last);
	put64(body + 28, c->lost);
	put64(body + 36, c->check);
	head_put(head, (struct head){ BLOCK_CHUNK, FORMAT_WRITTEN, 0, seq },
		 (size_t)CHUNK_HEAD + c->payload, CHUNK_HEAD, body);
	memset(tail, 0, 4);
	memcpy(tail + head[27], head + 4, 4);
	return head[27] + 4;
}

static bool length_ok(uint32_t len, uint32_t least)
{
	return len % 4 == 0 && len >= least && len <= BLOCK_MAX;
}

/* Notes the rule that is broken: `return bad(b, RULE(...));`. */
static enum block_state bad(struct block *b, const char *rule)
{
	b->broken = rule;
	return BLOCK_BAD;
}

#define RULE_LENGTH \
	RULE("Blocks", "its length is no multiple of 4, too small for its fields, or over 16 MiB")

static enum block_state own_chunk_head(const uint8_t *p, size_t n, struct block *b)
{
	if (b->len < BLOCK_OVERHEAD + CHUNK_HEAD)
		return bad(b, RULE_LENGTH);
	if (n < BLOCK_HEAD + CHUNK_HEAD)
		return BLOCK_SHORT;
	if (block_check(p, p + BLOCK_HEAD, CHUNK_HEAD) != b->check)
		return bad(b, RULE("Blocks", "the check of a chunk's head fails"));
	if (get32(p + BLOCK_HEAD + 8) != b->len - BLOCK_OVERHEAD - CHUNK_HEAD - b->pad)
		return bad(b, RULE("Chunk (5)", "payload_len is not what is left of the block"));
	return BLOCK_OK;
}

static enum block_state own_head(const uint8_t *p, size_t n, struct block *b)
{
	if (n < BLOCK_HEAD)
		return BLOCK_SHORT;
	b->kind = p[24];
	b->version = p[25];
	b->flags = p[26];
	b->pad = p[27];
	b->seq = get32(p + 28);
	b->check = get64(p + HEAD_CHECKED);
	if (!b->version || !b->kind || b->pad > 3)
		return bad(b, RULE("Blocks", "its kind or version is 0, or pad above 3"));
	if (!length_ok(b->len, BLOCK_OVERHEAD + b->pad))
		return bad(b, RULE_LENGTH);
	if (b->version > FORMAT_VERSION && b->kind == BLOCK_START)
		return BLOCK_NEWER;
	if (b->version > FORMAT_VERSION)
		return bad(b, RULE("Blocks", "its version is unknown, and it is no start block"));
	return b->kind == BLOCK_CHUNK ? own_chunk_head(p, n, b) : BLOCK_OK;
}

static enum block_state foreign_head(struct block *b, uint32_t least)
{
	return length_ok(b->len, least) ? BLOCK_OK : bad(b, RULE_LENGTH);
}

enum block_state block_head(const uint8_t *p, size_t n, struct block *b)
{
	memset(b, 0, sizeof(*b));
	if (n < 12)
		return BLOCK_SHORT;
	b->type = get32(p);
	b->len = get32(p + 4);
	if (b->type == PCAPNG_SHB && get32(p + 8) != PCAPNG_BOM)
		return bad(b, RULE("Damage", "the byte-order magic of a section header is wrong"));
	if (b->type == PCAPNG_SHB)
		return foreign_head(b, 28);
	if (b->type != BLOCK_TYPE)
		return foreign_head(b, 12);
	if (n < 24)
		return BLOCK_SHORT;
	if (!block_is_own(p))
		return foreign_head(b, 12);
	return own_head(p, n, b);
}

static bool padding_is_zero(const uint8_t *end, uint8_t pad)
{
	for (uint8_t i = 1; i <= pad; i++)
		if (end[-i])
			return false;
	return true;
}

bool block_whole(const uint8_t *p, struct block *b)
{
	const uint8_t *end = p + b->len - 4;

	if (get32(end) != b->len)
		b->broken = RULE_LENGTHS;
	else if (b->kind == BLOCK_FOREIGN)
		return true;
	else if (!padding_is_zero(end, b->pad))
		b->broken = RULE("Blocks", "its padding is not zero");
	else if (b->kind != BLOCK_CHUNK &&
		 block_check(p, p + BLOCK_HEAD, b->len - BLOCK_OVERHEAD - b->pad) != b->check)
		b->broken = RULE("Blocks", "its check fails");
	return !b->broken;
}

void chunk_head_get(const uint8_t *block, struct chunk_head *c)
{
	const uint8_t *body = block + BLOCK_HEAD;

	c->source = get16(body);
	c->flags = get16(body + 2);
	c->count = get32(body + 4);
	c->payload = get32(body + 8);
	c->first = get64(body + 12);
	c->last = get64(body + 20);
	c->lost = get64(body + 28);
	c->check = get64(body + 36);
}

bool chunk_payload_ok(const uint8_t *block, const struct chunk_head *c)
{
	return XXH64(block + BLOCK_HEAD + CHUNK_HEAD, c->payload, 0) == c->check;
}

/* Returns the dictionary that the flags select; *len is 0 if they select none. */
static const char *dictionary(uint8_t flags, size_t *len)
{
	*len = flags & BLOCK_DICTIONARY2 ? zdict2_len : flags & BLOCK_DICTIONARY ? zdict_len : 0;
	return flags & BLOCK_DICTIONARY2 ? zdict2 : zdict;
}

static bool body_expand(const uint8_t *p, size_t len, uint8_t flags, struct buf *tmp)
{
	unsigned long long size = ZSTD_getFrameContentSize(p, len);
	const char *words;
	ZSTD_DCtx *d;
	size_t n, nwords;

	if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR ||
	    size > BODY_RAW_MAX)
		return false;
	tmp->len = 0;
	if (!buf_reserve(tmp, size ? size : 1))
		return false;
	d = ZSTD_createDCtx();
	if (!d) {
		errno = ENOMEM; /* ZSTD_createDCtx() does not promise to set it */
		return false;
	}
	words = dictionary(flags, &nwords);
	n = ZSTD_decompress_usingDict(d, tmp->data, tmp->cap, p, len, words, nwords);
	ZSTD_freeDCtx(d);
	if (ZSTD_isError(n) || n != size)
		return false;
	tmp->len = n;
	return true;
}

bool block_body(const uint8_t *p, const struct block *b, struct buf *tmp, struct view *body)
{
	size_t len = b->len - BLOCK_OVERHEAD - b->pad;

	*body = (struct view){ p + BLOCK_HEAD, p + BLOCK_HEAD + len, false };
	if (!(b->flags & BLOCK_ZSTD))
		return true;
	if (!body_expand(body->p, len, b->flags, tmp))
		return false;
	*body = (struct view){ tmp->data, tmp->data + tmp->len, false };
	return true;
}
