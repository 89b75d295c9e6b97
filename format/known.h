/* SPDX-License-Identifier: MIT */
/*
 * The blocks of a section that were read whole, so that their copies in its index are not added to
 * them. A block is known by what it says, not by its offset: bytes that were inserted or removed
 * shift all offsets after them.
 */
#ifndef TRAWL_FORMAT_KNOWN_H
#define TRAWL_FORMAT_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct known_block; /* blocks that say the same */

struct known {
	struct known_block *slots;
	size_t n, cap;
};

/* A block that was read at this offset. False when memory runs out. */
bool known_add(struct known *k, uint64_t key, uint64_t at);

/*
 * Takes away one of the blocks of this key; false when there is none left. *at, unless NULL, is set
 * to the block's offset if it was the only one of its key.
 */
bool known_take(struct known *k, uint64_t key, uint64_t *at);

void known_free(struct known *k);

#endif
