/* SPDX-License-Identifier: MIT */
/* The strings of a chunk, each stored once: docs/format.md, "Strings". */
#ifndef TRAWL_FORMAT_STRINGTABLE_H
#define TRAWL_FORMAT_STRINGTABLE_H

#include "format/memory.h"
#include "format/varint.h"

struct string {
	const uint8_t *p;
	uint32_t len;
};

enum {
	DICTIONARY_MAX = 65536,        /* in a chunk */
	DICTIONARY_MAX_BYTES = 1 << 20 /* of one, and for writing of all */
};

/* For writing. Zeroed at first; dictionary_reset() makes it empty. */
struct dictionary {
	uint32_t count;
	struct buf bytes;
	struct { uint32_t offset, len, slot; } *list; /* DICTIONARY_MAX */
	uint32_t *table;                        /* 2 * DICTIONARY_MAX: number + 1 */
};

bool dictionary_reset(struct dictionary *s);
void dictionary_free(struct dictionary *s);
/* The number of a string, new or not; UINT32_MAX when there are too many. */
uint32_t dictionary_number(struct dictionary *s, struct string v);
/* Forgets all strings from this number on. */
void dictionary_forget(struct dictionary *s, uint32_t count);
void dictionary_put(const struct dictionary *s, struct buf *out);

/* Reads what dictionary_put() wrote; *list has *count views into the section. */
bool dictionary_get(struct view *in, struct room *list, uint32_t *count);

#endif
