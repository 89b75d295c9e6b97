/* SPDX-License-Identifier: MIT */
/* A set of events: for each chunk with events in the set, a bit per event. */
#ifndef TRAWL_EDIT_KEEP_H
#define TRAWL_EDIT_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keep_chunk {
	uint64_t at;
	uint32_t section;
	uint32_t count; /* events in the set */
	uint32_t room;  /* size of `bits`, bytes */
	uint8_t *bits;
};

struct keep {
	struct keep_chunk **slots; /* hash table by section and offset */
	size_t n, room;
	struct keep_chunk *last;
	uint64_t events;
};

/* Adds the event with number `place` of the chunk at file offset `at`. False: out of memory. */
bool keep_add(struct keep *k, uint32_t section, uint64_t at, uint32_t place);
/* The events of the chunk at file offset `at`, owned by k; NULL: none are in the set. */
struct keep_chunk *keep_find(const struct keep *k, uint32_t section, uint64_t at);
void keep_free(struct keep *k);

static inline bool keep_has(const struct keep_chunk *c, uint32_t place)
{
	return place / 8 < c->room && c->bits[place / 8] >> place % 8 & 1;
}

#endif
