/* SPDX-License-Identifier: MIT */
/* A set of numbers other than 0. */
#ifndef TRAWL_COMMON_HASHSET_H
#define TRAWL_COMMON_HASHSET_H

#include "common/hashtable.h"

struct hashset {
	uint64_t *slots; /* freed by the owner with free(); 0: unused */
	size_t n, room;
};

static inline bool hashset_used(const uint64_t *slot)
{
	return *slot;
}

static inline bool hashset_has_key(const uint64_t *slot, uint64_t value)
{
	return *slot == value;
}

static inline uint64_t hashset_key(const uint64_t *slot)
{
	return *slot;
}

static inline uint64_t hashset_hash(uint64_t value)
{
	return value;
}

HASH_TABLE(hashset, struct hashset, uint64_t, uint64_t)

/*
 * Adds a value; *added: it is new. Returns false if memory runs out, and leaves the set unchanged.
 */
static inline bool hashset_add(struct hashset *s, uint64_t value, bool *added)
{
	uint64_t *slot = hashset_slot(s, value);

	if (!slot)
		return false;
	*added = !*slot;
	*slot = value;
	s->n += *added;
	return true;
}

static inline bool hashset_has(const struct hashset *s, uint64_t value)
{
	return hashset_find(s, value);
}

#endif
