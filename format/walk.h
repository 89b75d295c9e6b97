/* SPDX-License-Identifier: MIT */
/*
 * Walks over the blocks of an input in order, and finds the next undamaged block after damage.
 * Needs no index; on a file it can skip the payloads of chunks.
 */
#ifndef TRAWL_FORMAT_WALK_H
#define TRAWL_FORMAT_WALK_H

#include "format/block.h"
#include "format/input.h"
#include "format/memory.h"

/* The damage found so far. */
struct damage {
	uint64_t blocks, first; /* number of damaged or missing blocks; offset of the first */
	uint64_t good;          /* with damage: all blocks before this offset were read */
	bool cut;
	uint64_t cut_at;        /* offset of the incomplete block at the end */
	bool junk;              /* foreign bytes follow the last end block: */
	uint64_t junk_at;       /* from this offset to the end of the input */
	bool ours;              /* a skipped block was one of this format */
	char broken[160];       /* of the damage that was found first, at broken_at: why */
	uint64_t broken_at;
	uint64_t known[64];     /* offsets of the first few, so that none is counted twice */
};
/* why: a RULE(), or an error that ends with one. */
void damage_add(struct damage *d, uint64_t at, const char *why);
/* Adds a chunk whose payload was not decoded, or notes in the budget that memory ran out. */
void damage_add_chunk(struct damage *d, uint64_t at, const struct trawl_error *err,
		      struct budget *b);

struct walker {
	struct input *in;
	struct damage *damage;
	uint64_t at, end;     /* offset of the next block; where to stop (UINT64_MAX: at the end) */
	uint64_t back, inner; /* in a small section: offset after it; its last address; else 0 */
	bool payloads;        /* return whole chunks, not only their heads */
	bool in_section;
	bool ended;           /* the previous block was an end block */
	uint64_t section;     /* offset of the current section */
	uint32_t seq;         /* expected sequence number of the next block of this format */
	uint64_t after_own;   /* end of the last block of this format */
	uint64_t front;       /* hash over the blocks since the section header */
	uint64_t interface;   /* hash of the previous block if it is an interface block */
	const char *broken;   /* the RULE() that the block which skip() leaves out breaks */
	uint64_t wasted;      /* bytes searched in vain: limits the time for a hostile file */
};

enum walk {
	WALK_BLOCK,
	WALK_END,
	WALK_NEWER, /* a start block of a newer version */
	WALK_ERROR, /* reading failed: in->error */
};

struct walked {
	struct block b;
	uint64_t at;      /* offset in the input */
	const uint8_t *p; /* the block; without walker.payloads only the heads of a chunk */
	uint64_t interface; /* of a source block: the hash of the interface block before it */
};

/* Keeps the input and *d. Walks the blocks at offsets [at, end). */
void walk_init(struct walker *w, struct input *in, struct damage *d, uint64_t at, uint64_t end);
/* Finds the next block, whose bytes are valid until the next call. */
enum walk walk_next(struct walker *w, struct walked *found);

/* Whether an undamaged block of this format begins at or after `at`. */
bool walk_finds_own(struct input *in, uint64_t at);

#endif
