/* SPDX-License-Identifier: MIT */
/*
 * The framing of blocks: pcapng's own block types, and ours in one local-use type.
 * docs/format.md, "Blocks", is the normative text; the offsets here repeat it.
 */
#ifndef TRAWL_FORMAT_BLOCK_H
#define TRAWL_FORMAT_BLOCK_H

#include "format/bytes.h"
#include "format/trawl.h"

enum {
	FORMAT_VERSION = 6,            /* of own blocks; a reader refuses a larger one */
	FORMAT_COMPACT = 5,            /* in start blocks of sections with PAYLOAD_TICKS or
					* BLOCK_GROUP; small ones: small.h */
	FORMAT_WRITTEN = 2,            /* in all other blocks */
	BLOCK_MAX = 16 << 20,          /* total length of any block */
	BLOCK_HEAD = 40,               /* bytes before the body of an own block */
	BLOCK_OVERHEAD = BLOCK_HEAD + 4,
	BLOCK_BODY_MAX = BLOCK_MAX - BLOCK_OVERHEAD - 4,
	BODY_RAW_MAX = 16 << 20,       /* most bytes of an expanded body */
	META_PART = 1 << 20,           /* larger metadata is split into parts of this size */
	CHUNK_HEAD = 44,               /* bytes of a chunk's body before the payload */
	START_BODY = 20,
	END_BODY = 48,
	END_BLOCK = BLOCK_OVERHEAD + END_BODY,
	PCAPNG_SHB = 0x0A0D0D0A,
	PCAPNG_IDB = 1,
	PCAPNG_OLD_PACKET = 2,
	PCAPNG_SIMPLE_PACKET = 3,
	PCAPNG_PACKET = 6,
	PCAPNG_JOURNAL = 9,
	PCAPNG_BOM = 0x1A2B3C4D,
};
#define BLOCK_TYPE 0x80747277u
static const uint8_t block_uuid[16] = {
	0xe0, 0x74, 0x79, 0x05, 0x5d, 0xf8, 0x4f, 0x82,
	0x8d, 0x07, 0xd0, 0x69, 0x61, 0x55, 0x4e, 0xe9,
};

/*
 * Whether the block whose first 24 bytes are at p is one of this format. The type alone is not
 * sufficient, because pcapng reserves it for local use.
 */
static inline bool block_is_own(const uint8_t *p)
{
	return get32(p) == BLOCK_TYPE && !memcmp(p + 8, block_uuid, sizeof(block_uuid));
}

enum block_kind {
	BLOCK_FOREIGN = 0, /* not ours: a pcapng block; see struct block.type */
	BLOCK_START = 1,
	BLOCK_SOURCE,
	BLOCK_EVENT_TYPE,
	BLOCK_META,
	BLOCK_CHUNK,
	BLOCK_SYNC,
	BLOCK_LOSS,
	BLOCK_INDEX,
	BLOCK_END,
	BLOCK_REFS, /* only inside an index block: the list of chunks */
	BLOCK_GROUP, /* several pieces of metadata */
};

enum {
	BLOCK_ZSTD = 1,        /* flag: the body is one zstd frame */
	BLOCK_DICTIONARY = 2,  /* flag: it uses the first dictionary of zdict.h; since version 2 */
	BLOCK_DICTIONARY2 = 4, /* flag: it uses the second dictionary; since version 4 */
};

/* The head of a block, parsed. */
struct block {
	uint32_t type, len;  /* pcapng block type and total length */
	uint8_t kind;        /* enum block_kind */
	uint8_t version, flags, pad;
	uint32_t seq;
	uint64_t check;
	const char *broken;  /* after block_head() or block_whole() failed: the RULE() */
};

/* A chunk's body before its payload. */
struct chunk_head {
	uint16_t source, flags;
	uint32_t count, payload;
	uint64_t first, last; /* the source's clock */
	uint64_t lost;        /* number of this source's events that are known to be lost so far */
	uint64_t check;       /* XXH64 of the payload */
};

/* Appends a block of this format; its body is compressed if that makes it smaller. */
void block_build(struct buf *out, enum block_kind kind, uint32_t seq, const void *body, size_t len);

/* The same with this version and an uncompressed body. */
void block_build_version(struct buf *out, uint8_t version, enum block_kind kind, uint32_t seq,
			 const void *body, size_t len);

/* Appends a block whose body the caller has compressed with the second dictionary. */
void block_build_frame(struct buf *out, uint8_t version, enum block_kind kind, const void *frame,
		       size_t len);

/*
 * Fills head[BLOCK_HEAD + CHUNK_HEAD] with what precedes a chunk's payload, and tail[8] with what
 * follows it. Returns the number of bytes used of tail.
 */
size_t block_build_chunk(uint8_t *head, uint8_t *tail, uint32_t seq, const struct chunk_head *c);

enum block_state {
	BLOCK_OK,
	BLOCK_SHORT, /* more bytes are needed to decide */
	BLOCK_BAD,   /* not a block */
	BLOCK_NEWER, /* the start block of a newer version, provided that block_whole() holds */
};

/*
 * Parses a block's head from the n bytes at p. Also verifies the check of a chunk's head: returns
 * BLOCK_SHORT if the chunk head is not complete.
 */
enum block_state block_head(const uint8_t *p, size_t n, struct block *b);

/* Whether the block is a pcapng packet. trawl writes none. */
static inline bool block_is_packet(const struct block *b)
{
	return b->kind == BLOCK_FOREIGN && (b->type == PCAPNG_OLD_PACKET ||
		b->type == PCAPNG_SIMPLE_PACKET || b->type == PCAPNG_PACKET);
}

/*
 * Verifies the whole block at p (b->len bytes): length at the end, padding, check. The payload of a
 * chunk has a check of its own, see chunk_payload_ok().
 */
bool block_whole(const uint8_t *p, struct block *b);

void chunk_head_get(const uint8_t *block, struct chunk_head *c);
bool chunk_payload_ok(const uint8_t *block, const struct chunk_head *c);

/*
 * Sets *body to the body of a block that block_whole() accepts: in the block, or expanded into
 * *tmp. Returns false if it cannot be expanded.
 */
bool block_body(const uint8_t *p, const struct block *b, struct buf *tmp, struct view *body);

/* pcapng blocks. */
void pcapng_section(struct buf *out, const char *comment);
void pcapng_journal(struct buf *out, uint64_t realtime_ns, const char *comment);
void pcapng_interface(struct buf *out, const struct trawl_source *s);

#endif
