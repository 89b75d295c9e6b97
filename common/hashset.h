/* SPDX-License-Identifier: MIT */
/* A set of numbers other than 0, by open addressing. */
#ifndef TRAWL_COMMON_HASHSET_H
#define TRAWL_COMMON_HASHSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct hashset {
	uint64_t *slots; /* freed by the owner with free(); 0: an empty slot */
	size_t n, room;  /* room: a power of two */
};

static inline uint64_t *hashset_slot(uint64_t *slots, size_t room, uint64_t value)
{
	size_t at = (size_t)(value * 0x9E3779B97F4A7C15u >> 20) & (room - 1);

	while (slots[at] && slots[at] != value)
		at = (at + 1) & (room - 1);
	return &slots[at];
}

/*
 * Adds a value; *added: it is new. Returns false if memory runs out, and leaves the set unchanged.
 */
static inline bool hashset_add(struct hashset *s, uint64_t value, bool *added)
{
	uint64_t *slot;

	if (4 * s->n >= 3 * s->room) {
		size_t room = s->room ? 2 * s->room : 256;
		uint64_t *more = calloc(room, sizeof(*more));

		if (!more)
			return false;
		for (size_t i = 0; i < s->room; i++) {
			if (s->slots[i])
				*hashset_slot(more, room, s->slots[i]) = s->slots[i];
		}
		free(s->slots);
		s->slots = more;
		s->room = room;
	}
	slot = hashset_slot(s->slots, s->room, value);
	*added = !*slot;
	*slot = value;
	s->n += *added;
	return true;
}

static inline bool hashset_has(const struct hashset *s, uint64_t value)
{
	return s->room && *hashset_slot(s->slots, s->room, value);
}

#endif
