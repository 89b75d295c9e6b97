/* SPDX-License-Identifier: MIT */
/*
 * Going over the blocks of an input one after another, and finding the next whole one after
 * damage. Needs no index; on a file it can pass over the payloads of chunks.
 */
#ifndef TRAWL_FORMAT_WALK_H
#define TRAWL_FORMAT_WALK_H

#include "format/block.h"
#include "format/input.h"

/* What is wrong with the input, as far as has been seen. */
struct damage {
	uint64_t blocks, first; /* damaged or missing blocks, and where the first was */
	uint64_t good;          /* with damage: all blocks in front of this were read */
	bool cut;
	uint64_t cut_at;        /* where the block that is not all there begins */
	bool junk;              /* something is after the last end block, no part of a section: */
	uint64_t junk_at;       /* from here to the end of the input */
	bool ours;              /* of the blocks that were skipped some were own ones */
	uint64_t known[64];     /* the first few, so that one is not counted twice */
};
void damage_add(struct damage *d, uint64_t at);

struct walker {
	struct input *in;
	struct damage *damage;
	uint64_t at, end;     /* the next block; where to stop (UINT64_MAX: at the end) */
	uint64_t back, inner; /* in a small section: what is after it, and where it ends; or 0 */
	bool payloads;        /* give chunks whole, not only their heads */
	bool in_section;
	bool ended;           /* the block before was an end block */
	uint64_t section;     /* where it begins */
	uint32_t seq;         /* that the next own block should have */
	uint64_t after_own;   /* the end of the last own block: what is missing is after it */
	uint64_t front;       /* hash over the blocks since the section header */
	uint64_t interface;   /* hash of the block before, when that is an interface */
	uint64_t wasted;      /* bytes looked at in vain: bounds the time for a hostile file */
};

enum walk {
	WALK_BLOCK,
	WALK_END,
	WALK_NEWER, /* a start block of a newer format */
	WALK_ERROR, /* the input could not be read: in->error */
};

struct walked {
	struct block b;
	uint64_t at;      /* offset in the input */
	const uint8_t *p; /* the block; of a chunk without `payloads` only its heads */
	uint64_t interface; /* of a source block: the hash of the interface in front of it */
};

void walk_init(struct walker *w, struct input *in, struct damage *d, uint64_t at, uint64_t end);
enum walk walk_next(struct walker *w, struct walked *found);

/* Whether a whole own block begins at or after `at`, also after damage. */
bool walk_finds_own(struct input *in, uint64_t at);

#endif
