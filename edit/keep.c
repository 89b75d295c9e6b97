/* SPDX-License-Identifier: MIT */
#include "edit/keep.h"
#include "common/array.h"

#include <stdlib.h>
#include <string.h>

static size_t slot(const struct keep *k, uint32_t section, uint64_t at)
{
	size_t i = (size_t)((at + section) * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (k->cap - 1);

	while (k->table[i] && (k->table[i]->at != at || k->table[i]->section != section))
		i = (i + 1) & (k->cap - 1);
	return i;
}

struct keep_chunk *keep_find(const struct keep *k, uint32_t section, uint64_t at)
{
	return k->cap ? k->table[slot(k, section, at)] : NULL;
}

static bool grow(struct keep *k)
{
	struct keep_chunk **old = k->table;
	size_t cap = k->cap;

	k->cap = cap ? 2 * cap : 1024;
	k->table = calloc(k->cap, sizeof(*k->table));
	if (!k->table) {
		k->table = old;
		k->cap = cap;
		return false;
	}
	for (size_t i = 0; i < cap; i++)
		if (old[i])
			k->table[slot(k, old[i]->section, old[i]->at)] = old[i];
	free(old);
	return true;
}

static struct keep_chunk *find_or_add(struct keep *k, uint32_t section, uint64_t at)
{
	struct keep_chunk *c;
	size_t i;

	if (k->last && k->last->at == at && k->last->section == section)
		return k->last;
	if (2 * k->n >= k->cap && !grow(k))
		return NULL;
	i = slot(k, section, at);
	c = k->table[i];
	if (!c) {
		c = calloc(1, sizeof(*c));
		if (!c)
			return NULL;
		c->at = at;
		c->section = section;
		k->table[i] = c;
		k->n++;
	}
	return k->last = c;
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
	for (size_t i = 0; i < k->cap; i++)
		if (k->table[i]) {
			free(k->table[i]->bits);
			free(k->table[i]);
		}
	free(k->table);
	*k = (struct keep){ 0 };
}
