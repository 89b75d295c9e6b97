/* SPDX-License-Identifier: MIT */
/*
 * The values that were removed from a file, in memory only: to replace them where else they occur,
 * and to search the output for them.
 *
 * A text of 4 to 7 bytes matches only where no letter or digit is next to it; a shorter one never.
 * Of binary data (sectors), one 16-byte sequence with at least 8 different bytes is remembered.
 */
#ifndef TRAWL_EDIT_REMOVED_H
#define TRAWL_EDIT_REMOVED_H

#include "edit/classes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REMOVED_LEAST = 4, REMOVED_WHOLE = 8, REMOVED_BYTES = 16, REMOVED_MOST = 1 << 20 };

struct removed_value {
	uint32_t at, len;     /* offset and length in `text` */
	uint32_t next;        /* 1 + number of the next value with the same hash; 0: none */
	uint8_t class;
	bool is_public;       /* also occurs in what is kept: not searched for */
	bool is_text;
};

struct removed {
	char *text;
	size_t len, room;
	struct removed_value *values;
	size_t n, values_room;
	uint32_t *heads;      /* hash table by the first four bytes */
	bool failed;          /* memory ran out */
	bool full;            /* some values could not be remembered: too many */
};

/* Add a value; adding it again has no effect. */
void removed_text(struct removed *r, enum secret_class class, const char *p, size_t n);
void removed_bytes(struct removed *r, enum secret_class class, const uint8_t *p, size_t n);
/* Marks values as public that removed_find() would find in a kept text. */
void removed_public(struct removed *r, const char *p, size_t n);
/*
 * Finds the first value of at least `least` bytes in p[*from .. n) and sets *from to its offset;
 * NULL if there is none.
 */
const struct removed_value *removed_find(const struct removed *r, const void *p, size_t n,
					 size_t *from, size_t least);
static inline const char *removed_text_of(const struct removed *r, const struct removed_value *v)
{
	return r->text + v->at;
}
void removed_free(struct removed *r);

#endif
