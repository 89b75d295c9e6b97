/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "format/known.h"

struct known_block {
	uint64_t key, at;
	uint32_t count, taken; /* count 0: a free slot */
};

static struct known_block *slot_of(struct known_block *slots, size_t cap, uint64_t key)
{
	size_t i = (size_t)(key * 0x9E3779B97F4A7C15u >> 20) & (cap - 1);

	while (slots[i].count && slots[i].key != key)
		i = (i + 1) & (cap - 1);
	return &slots[i];
}

static bool grow(struct known *k)
{
	size_t cap = k->cap ? k->cap * 2 : 64;
	struct known_block *slots = calloc(cap, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < k->cap; i++)
		if (k->slots[i].count)
			*slot_of(slots, cap, k->slots[i].key) = k->slots[i];
	free(k->slots);
	k->slots = slots;
	k->cap = cap;
	return true;
}

bool known_add(struct known *k, uint64_t key, uint64_t at)
{
	struct known_block *b;

	if (k->n * 2 >= k->cap && !grow(k))
		return false;
	b = slot_of(k->slots, k->cap, key);
	if (!b->count) {
		*b = (struct known_block){ .key = key, .at = at };
		k->n++;
	}
	b->count++;
	return true;
}

bool known_take(struct known *k, uint64_t key, uint64_t *at)
{
	struct known_block *b = k->cap ? slot_of(k->slots, k->cap, key) : NULL;

	if (!b || b->taken == b->count)
		return false;
	b->taken++;
	if (at && b->count == 1)
		*at = b->at;
	return true;
}

void known_free(struct known *k)
{
	free(k->slots);
	memset(k, 0, sizeof(*k));
}
