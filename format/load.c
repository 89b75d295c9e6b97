/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "format/load.h"
#include "format/loops.h"

enum {
	BLOCK = 128, /* number of records whose fields are loaded together */
	WORDS = 4,   /* number of 8-byte words of a record that are compared together */
};

#define LOAD_COLUMN(type) \
	do { \
		for (uint32_t i = from; i < end; i++) { \
			type x; \
			memcpy(&x, row[i] + c->offset, sizeof(x)); \
			v[i] = (uint64_t)x; \
		} \
	} while (0)

static void load_block(const struct layout_column *c, const uint8_t *const *row, uint64_t *v,
		       uint32_t from, uint32_t end)
{
	switch (c->size * 2 + c->is_signed) {
	case 2:
		LOAD_COLUMN(uint8_t);
		break;
	case 3:
		LOAD_COLUMN(int8_t);
		break;
	case 4:
		LOAD_COLUMN(uint16_t);
		break;
	case 5:
		LOAD_COLUMN(int16_t);
		break;
	case 8:
		LOAD_COLUMN(uint32_t);
		break;
	case 9:
		LOAD_COLUMN(int32_t);
		break;
	default:
		LOAD_COLUMN(uint64_t);
	}
}

/* `some` is a constant where this is called. */
static inline __attribute__((always_inline)) void mark_words(const uint8_t *const *row,
	uint32_t from, uint32_t end, uint32_t word, uint32_t some, uint64_t *changes)
{
	uint64_t first[WORDS], changed[WORDS] = { 0 };

	for (uint32_t w = 0; w < some; w++)
		first[w] = get64(row[0] + (word + w) * 8);
	for (uint32_t i = from; i < end; i++)
		for (uint32_t w = 0; w < some; w++)
			changed[w] |= get64(row[i] + (word + w) * 8) ^ first[w];
	for (uint32_t w = 0; w < some; w++)
		changes[word + w] |= changed[w];
}

/*
 * Finds the bits of the fixed part that differ from the first record. A record has few words but
 * many columns, most of which are constant: these need not be loaded. Works block by block, so that
 * a record is still in the cache when its next words are compared, and prefetches the next block.
 */
LOOPS static void mark_changes(const struct table *t, const uint8_t *const *row, uint32_t words,
			       uint64_t *changes)
{
	for (uint32_t from = 0; from < t->n; from += BLOCK) {
		uint32_t end = from + BLOCK < t->n ? from + BLOCK : t->n, w = 0;

		for (uint32_t i = end; t->number && i < t->n && i < end + BLOCK; i++) {
			__builtin_prefetch(row[i]);
			__builtin_prefetch(row[i] + words * 8);
		}
		for (; w + WORDS <= words; w += WORDS)
			mark_words(row, from, end, w, WORDS, changes);
		for (; w < words; w++)
			mark_words(row, from, end, w, 1, changes);
	}
}

/* Whole words up to the end of the last number. */
static uint32_t words_of(const struct layout *l)
{
	uint32_t end = 0;

	for (uint32_t c = 0; c < l->nnumbers; c++)
		if (l->columns[c].offset + l->columns[c].size > end)
			end = l->columns[c].offset + l->columns[c].size;
	return end / 8;
}

/* Whether the numbers of a column may differ. Bytes after the last whole word are not compared. */
static bool may_change(const struct layout_column *c, const uint64_t *changes, uint32_t words)
{
	uint64_t x = 0;

	if (c->offset + c->size > words * 8)
		return true;
	memcpy(&x, (const uint8_t *)changes + c->offset, c->size);
	return x != 0;
}

const uint8_t *loader_choose(struct loader *r, const struct table *t,
			     const struct grouping_table *a, const uint8_t *const *row, bool refers,
			     uint32_t repeated)
{
	const struct layout *l = t->layout;
	uint32_t words = words_of(l);
	uint64_t *changes = room_for(&r->changes, (words + 1) * sizeof(*changes));
	uint8_t *load = room_for(&r->loads, l->ncolumns + 1);

	if (!changes || !load)
		return NULL;
	memset(changes, 0, words * sizeof(*changes));
	mark_changes(t, row, words, changes);
	memset(load, refers ? LOAD_REPEAT : LOAD_FIRST, l->ncolumns);
	for (uint32_t c = l->ncolumns; c-- > 0;) {
		const struct layout_column *k = &l->columns[c];
		bool changes_here = c >= l->nnumbers || may_change(k, changes, words);
		bool wanted = load[c] == LOAD_REPEAT || !a || !grouping_is_key(a, c);

		if (!changes_here && c == repeated)
			load[c] = LOAD_REPEAT;
		if (!changes_here || !wanted)
			continue;
		load[c] = LOAD_EACH;
		if (k->ref < c)
			load[k->ref] = LOAD_REPEAT;
	}
	return load;
}

void loader_free(struct loader *r)
{
	free(r->changes.p);
	free(r->loads.p);
}

/* Works block by block, as mark_changes(). */
LOOPS void load_numbers(struct table *t, const uint8_t *const *row, const uint8_t *load)
{
	const struct layout *l = t->layout;

	for (uint32_t c = 0; c < l->nnumbers && t->n; c++) {
		uint64_t *v = t->value[c];

		load_block(&l->columns[c], row, v, 0, 1);
		for (uint32_t i = 1; load[c] == LOAD_REPEAT && i < t->n; i++)
			v[i] = v[0];
	}
	for (uint32_t from = 0; from < t->n; from += BLOCK) {
		uint32_t end = from + BLOCK < t->n ? from + BLOCK : t->n;

		for (uint32_t c = 0; c < l->nnumbers; c++)
			if (load[c] == LOAD_EACH)
				load_block(&l->columns[c], row, t->value[c], from, end);
	}
}

void load_strings(const struct table *t, const struct layout_column *c, const uint8_t *const *row,
		  const struct grouping *o, struct string *v)
{
	const uint32_t *length = o->length;

	for (uint32_t i = 0; c->place == TRAWL_TAIL && i < t->n; i++)
		v[i] = (struct string){ row[i] + c->offset, length[t->number[i]] - c->offset };
	for (uint32_t i = 0; c->place == TRAWL_TAIL && o->back && i < t->n; i++)
		v[i].p -= o->back[t->number[i]];
	for (uint32_t i = 0; c->place != TRAWL_TAIL && i < t->n; i++) {
		uint32_t from = c->offset, len = c->size;

		if (c->place != TRAWL_FIXED)
			len = layout_dynamic(c, row[i], length[t->number[i]], &from);
		v[i] = (struct string){ row[i] + from, len };
	}
}
