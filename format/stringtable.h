/* SPDX-License-Identifier: MIT */
/* The strings of a chunk, each stored once: docs/format.md, "String columns". */
#ifndef TRAWL_FORMAT_STRINGTABLE_H
#define TRAWL_FORMAT_STRINGTABLE_H

#include "format/memory.h"
#include "format/varint.h"

struct string {
	const uint8_t *p;
	uint32_t len;
};

enum {
	STRING_TABLE_MAX = 65536,        /* in a chunk */
	STRING_TABLE_MAX_BYTES = 1 << 20, /* of one string; the writer also bounds their sum */
	STRING_TABLE_SLOTS = 2 * STRING_TABLE_MAX, /* of the hash table */
};

/* For encoding. Initialised with zeros; string_table_reset() empties it. */
struct string_table {
	uint32_t count;
	struct buf bytes;
	struct { uint32_t offset, len, slot; } *list; /* STRING_TABLE_MAX */
	uint32_t *table;                        /* STRING_TABLE_SLOTS: number + 1; 0: free */
};

/* Returns false if memory runs out. */
bool string_table_reset(struct string_table *s);
void string_table_free(struct string_table *s);
/*
 * Returns the number of a string, which is added if it is new; UINT32_MAX if it cannot be added:
 * the table has STRING_TABLE_MAX strings or would have over STRING_TABLE_MAX_BYTES bytes, or memory
 * runs out.
 */
uint32_t string_table_number(struct string_table *s, struct string v);
/* Removes all strings from this number on. */
void string_table_forget(struct string_table *s, uint32_t count);
/* Appends the count, then of each string its length and bytes. */
void string_table_put(const struct string_table *s, struct buf *out);

/*
 * Reads what string_table_put() wrote: *count elements of struct string in list, which point into
 * the view. Returns false for damage, with in->bad; or if memory runs out.
 */
bool string_table_get(struct view *in, struct room *list, uint32_t *count);

#endif
