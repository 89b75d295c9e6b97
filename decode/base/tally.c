/* SPDX-License-Identifier: MIT */
#include "decode/base/tally.h"
#include "common/fnv.h"

#include <stdlib.h>
#include <string.h>

static struct tally_entry *find(struct tally_entry *slots, size_t nslots, const void *key,
				size_t n, uint32_t hash)
{
	size_t i = hash & (nslots - 1);

	while (slots[i].key && (slots[i].hash != hash || slots[i].len != n ||
				memcmp(slots[i].key, key, n)))
		i = (i + 1) & (nslots - 1);
	return &slots[i];
}

static int grow(struct tally *t)
{
	size_t n = t->nslots ? t->nslots * 2 : 64, i;
	struct tally_entry *slots = calloc(n, sizeof(*slots)), *e;

	if (!slots)
		return -1;
	for (i = 0; i < t->nslots; i++) {
		e = &t->slots[i];
		if (e->key)
			*find(slots, n, e->key, e->len, e->hash) = *e;
	}
	free(t->slots);
	t->slots = slots;
	t->nslots = n;
	return 0;
}

void tally_add(struct tally *t, const void *key, size_t n, uint64_t time)
{
	struct tally_entry *e = t->nslots ? &t->slots[t->newest] : NULL;
	uint32_t hash;

	if (e && e->key && e->len == n && !memcmp(e->key, key, n)) {
		e->count++;
		e->last = time;
		return;
	}
	if (t->used * 2 >= t->nslots && grow(t)) {
		t->missed++;
		return;
	}
	hash = (uint32_t)fnv1a(key, n);
	e = find(t->slots, t->nslots, key, n, hash);
	if (!e->key) {
		e->key = malloc(n + 1);
		if (!e->key) {
			t->missed++;
			return;
		}
		memcpy(e->key, key, n);
		e->key[n] = '\0';
		e->len = (uint32_t)n;
		e->hash = hash;
		e->first = time;
		t->used++;
	}
	e->count++;
	e->last = time;
	t->newest = (size_t)(e - t->slots);
}

static int by_count(const void *a, const void *b)
{
	const struct tally_entry *x = a, *y = b;

	if (!x->key || !y->key)
		return !x->key - !y->key;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->key, y->key);
}

const struct tally_entry *tally_sorted(struct tally *t, size_t *n)
{
	if (t->nslots)
		qsort(t->slots, t->nslots, sizeof(*t->slots), by_count);
	*n = t->used;
	return t->slots;
}

void tally_free(struct tally *t)
{
	size_t i;

	for (i = 0; i < t->nslots; i++)
		free(t->slots[i].key);
	free(t->slots);
	memset(t, 0, sizeof(*t));
}
