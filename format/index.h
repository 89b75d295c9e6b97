/* SPDX-License-Identifier: MIT */
/*
 * The index: where the chunks are, and copies of everything else, in blocks at the end (and, in a
 * long capture, now and then before it). docs/format.md, "Index", is the normative text.
 */
#ifndef TRAWL_FORMAT_INDEX_H
#define TRAWL_FORMAT_INDEX_H

#include "format/block.h"

/* Bytes of an index block's body: what goes before a copy, a chunk's entry, and all the rest with
 * the block around it. */
enum { INDEX_ITEM = 16, INDEX_REF = 36, INDEX_OVERHEAD = BLOCK_OVERHEAD + 8 + INDEX_ITEM + 4 };

/* Where a chunk is; the same a scan finds out. */
struct chunk_ref {
	uint64_t at;          /* offset in the section */
	uint64_t first, last; /* the source's clock */
	uint32_t len;         /* of the block */
	uint32_t count;
	uint16_t source;      /* as in the section */
};

/* The writer's side: what has to go into the next index block. */
struct index {
	bool none;       /* the section has no index: only the totals are kept */
	struct buf items, refs;
	uint64_t last;   /* offset of the last index block; 0: none yet */
	uint64_t chunks, events;
};

/* A copy of a block that is at offset `at` in the section. */
void index_item(struct index *x, enum block_kind kind, uint64_t at, const struct buf *body);
void index_ref(struct index *x, const struct chunk_ref *r);
/* Whether so much has come together that an index block should be written now. */
bool index_is_full(const struct index *x);
/* The body of an index block that will be at offset `at`; empties the index. */
void index_take(struct index *x, uint64_t at, struct buf *body);
void index_free(struct index *x);

/* Items of an index block's body, one after another: false at the end or when v is bad. */
bool index_next(struct view *v, enum block_kind *kind, uint64_t *at, struct view *body);
bool index_ref_get(struct view *v, struct chunk_ref *s);

/* The end block. */
struct end_mark {
	uint64_t section; /* bytes from the section's first to the end block's first */
	uint64_t index;   /* bytes from the last index block's first to the end block's first */
	uint64_t events, chunks;
	uint64_t lost;    /* events known not to be in the section */
	uint64_t blocks;  /* own blocks before this one */
};
void end_put(struct buf *b, const struct end_mark *s);
bool end_get(struct view *v, struct end_mark *s);

#endif
