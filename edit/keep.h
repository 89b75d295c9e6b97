/* SPDX-License-Identifier: MIT */
/* Which events of which chunks are kept: a bit for each event of a chunk that has any. */
#ifndef TRAWL_EDIT_KEEP_H
#define TRAWL_EDIT_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keep_chunk {
	uint64_t at;
	uint32_t section;
	uint32_t count; /* events that are kept */
	uint32_t room;  /* of bits, in bytes */
	uint8_t *bits;
};

struct keep {
	struct keep_chunk **table; /* by hash of section and offset */
	size_t n, cap;
	struct keep_chunk *last;
	uint64_t events;
};

/* Keeps the event `place` of the chunk at offset `at`. False: out of memory. */
bool keep_add(struct keep *k, uint32_t section, uint64_t at, uint32_t place);
/* Returns the kept events of the chunk at offset `at`, owned by k. NULL: none are kept. */
struct keep_chunk *keep_find(const struct keep *k, uint32_t section, uint64_t at);
void keep_free(struct keep *k);

static inline bool keep_has(const struct keep_chunk *c, uint32_t place)
{
	return place / 8 < c->room && c->bits[place / 8] >> place % 8 & 1;
}

#endif
