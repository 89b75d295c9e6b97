/* SPDX-License-Identifier: MIT */
/*
 * The blocks of a section that were read, so that the index's copies of them are not added again. A
 * block is identified by a hash of its contents, not by its offset: inserted or removed bytes shift
 * the offsets of all later blocks.
 */
#ifndef TRAWL_FORMAT_KNOWN_H
#define TRAWL_FORMAT_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct known_block; /* blocks with equal contents */

struct known {
	struct known_block *slots;
	size_t n, cap;
};

/* Adds a block that was read at this offset. Returns false if memory runs out. */
bool known_add(struct known *k, uint64_t key, uint64_t at);

/*
 * Removes one of the blocks with this key; returns false if there is none left. Unless NULL, *at is
 * set to the block's offset if it was the only one with this key.
 */
bool known_take(struct known *k, uint64_t key, uint64_t *at);

void known_free(struct known *k);

#endif
