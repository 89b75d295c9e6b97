/* SPDX-License-Identifier: MIT */
#include "edit/keep.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hashtable.h"

static bool chunks_used(struct keep_chunk *const *slot)
{
	return *slot;
}

static bool chunks_has_key(struct keep_chunk *const *slot, const struct keep_chunk *key)
{
	return (*slot)->at == key->at && (*slot)->section == key->section;
}

static const struct keep_chunk *chunks_key(struct keep_chunk *const *slot)
{
	return *slot;
}

static uint64_t chunks_hash(const struct keep_chunk *key)
{
	return key->at + key->section;
}

HASH_TABLE(chunks, struct keep, struct keep_chunk *, const struct keep_chunk *)

struct keep_chunk *keep_find(const struct keep *k, uint32_t section, uint64_t at)
{
	const struct keep_chunk key = { .section = section, .at = at };
	struct keep_chunk **slot = chunks_find(k, &key);

	return slot ? *slot : NULL;
}

static struct keep_chunk *find_or_add(struct keep *k, uint32_t section, uint64_t at)
{
	const struct keep_chunk key = { .section = section, .at = at };
	struct keep_chunk **slot;

	if (k->last && k->last->at == at && k->last->section == section)
		return k->last;
	slot = chunks_slot(k, &key);
	if (!slot)
		return NULL;
	if (!*slot) {
		*slot = malloc(sizeof(**slot));
		if (!*slot)
			return NULL;
		**slot = key;
		k->n++;
	}
	return k->last = *slot;
}

bool keep_add(struct keep *k, uint32_t section, uint64_t at, uint32_t place)
{
	struct keep_chunk *c = find_or_add(k, section, at);

	if (!c)
		return false;
	if (place / 8 >= c->room &&
	    !array_extend(c->bits, c->room, place / 8 < 32 ? 64 : place / 8 * 2))
		return false;
	if (!keep_has(c, place)) {
		c->bits[place / 8] |= (uint8_t)(1u << place % 8);
		c->count++;
		k->events++;
	}
	return true;
}

void keep_free(struct keep *k)
{
	for (size_t i = 0; i < k->room; i++)
		if (k->slots[i]) {
			free(k->slots[i]->bits);
			free(k->slots[i]);
		}
	free(k->slots);
	*k = (struct keep){ 0 };
}
