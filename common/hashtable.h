/* SPDX-License-Identifier: MIT */
/*
 * Hash tables by open addressing. The owner declares a structure with at least
 *
 *	SLOT *slots;    all zero: unused; freed with free()
 *	size_t n, room; slots in use, and all of them: a power of two, or 0
 *
 * and, before HASH_TABLE(NAME, TABLE, SLOT, KEY), four functions:
 *
 *	static bool NAME_used(const SLOT *slot);
 *	static bool NAME_has_key(const SLOT *slot, KEY key);
 *	static KEY NAME_key(const SLOT *slot);
 *	static uint64_t NAME_hash(KEY key); its bits need not be mixed
 *
 * Chosen keys can collide: whoever takes keys from strangers bounds the table.
 */
#ifndef TRAWL_COMMON_HASHTABLE_H
#define TRAWL_COMMON_HASHTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { HASH_TABLE_ROOM = 256 };

static inline size_t hash_table_start(uint64_t hash, size_t room)
{
	return (size_t)(hash * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (room - 1);
}

/*
 * Defines
 *	SLOT *NAME_find(const TABLE *t, KEY key)   the slot with the key, or NULL
 *	SLOT *NAME_slot(TABLE *t, KEY key)         the same, or an unused slot: the caller fills it
 *	                                           and adds 1 to t->n; NULL: out of memory, nothing
 *	                                           changed
 */
#define HASH_TABLE(NAME, TABLE, SLOT, KEY) \
	static inline SLOT *NAME##_place(SLOT *slots, size_t room, KEY key) \
	{ \
		size_t at = hash_table_start(NAME##_hash(key), room); \
\
		while (NAME##_used(&slots[at]) && !NAME##_has_key(&slots[at], key)) \
			at = (at + 1) & (room - 1); \
		return &slots[at]; \
	} \
\
	__attribute__((unused)) static inline SLOT *NAME##_find(const TABLE *t, KEY key) \
	{ \
		SLOT *slot = t->room ? NAME##_place(t->slots, t->room, key) : NULL; \
\
		return slot && NAME##_used(slot) ? slot : NULL; \
	} \
\
	static inline bool NAME##_enlarge(TABLE *t) \
	{ \
		size_t room = t->room ? 2 * t->room : HASH_TABLE_ROOM; \
		SLOT *more = calloc(room, sizeof(*more)); \
\
		if (!more) \
			return false; \
		for (size_t i = 0; i < t->room; i++) { \
			if (NAME##_used(&t->slots[i])) \
				*NAME##_place(more, room, NAME##_key(&t->slots[i])) = t->slots[i]; \
		} \
		free(t->slots); \
		t->slots = more; \
		t->room = room; \
		return true; \
	} \
\
	static inline SLOT *NAME##_slot(TABLE *t, KEY key) \
	{ \
		if (4 * t->n >= 3 * t->room && !NAME##_enlarge(t)) \
			return NULL; \
		return NAME##_place(t->slots, t->room, key); \
	}

#endif
