/* SPDX-License-Identifier: MIT */
/*
 * The index: where the chunks are, and copies of everything else, in blocks at the end (and, in a
 * long capture, now and then before it). docs/format.md, "Index", is the normative text.
 */
#ifndef TRAWL_FORMAT_INDEX_H
#define TRAWL_FORMAT_INDEX_H

#include "format/block.h"

/* Bytes of an index block: the header of each copy, the entry of each chunk, and all the rest. */
enum { INDEX_ITEM = 16, INDEX_REF = 36, INDEX_OVERHEAD = BLOCK_OVERHEAD + 8 + INDEX_ITEM + 4 };

/* The place and times of a chunk: an index entry, or what a scan finds. */
struct chunk_ref {
	uint64_t at;          /* offset in the section */
	uint64_t first, last; /* the source's clock */
	uint32_t len;         /* of the block */
	uint32_t count;
	uint16_t source;      /* its number in the section */
};

/* The contents of the next index block to be written. */
struct index {
	bool none;       /* the section has no index: only the totals are kept */
	struct buf items, refs;
	uint64_t last;   /* offset of the last index block; 0: none yet */
	uint64_t chunks, events;
};

/* Adds a copy of a block that is at offset `at` of the section. */
void index_item(struct index *x, enum block_kind kind, uint64_t at, const struct buf *body);
void index_ref(struct index *x, const struct chunk_ref *r);
/* Whether an index block should be written now. */
bool index_is_full(const struct index *x);
/* Builds the body of an index block for offset `at` of the section, and empties the index. */
void index_take(struct index *x, uint64_t at, struct buf *body);
void index_free(struct index *x);

/* Reads the next item of an index block's body. Returns false at the end, or if v is bad. */
bool index_next(struct view *v, enum block_kind *kind, uint64_t *at, struct view *body);
bool index_ref_get(struct view *v, struct chunk_ref *s);

/* The end block. */
struct end_mark {
	uint64_t section; /* distance from the section's start to the end block's start, bytes */
	uint64_t index;   /* distance from the last index block's start to it */
	uint64_t events, chunks;
	uint64_t lost;    /* number of events that are known to be missing */
	uint64_t blocks;  /* number of blocks of this format before the end block */
};
void end_put(struct buf *b, const struct end_mark *s);
bool end_get(struct view *v, struct end_mark *s);

#endif
