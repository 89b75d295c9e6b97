/* SPDX-License-Identifier: MIT */
/*
 * The values that were removed from a file, in memory only: to replace them where else they occur,
 * and to search the output for them.
 *
 * A text of 4 to 7 bytes matches only where no letter or digit is next to it; a shorter one never.
 * A text of more than 64 bytes is remembered as pieces of 33 to 64 bytes, each a value. Of binary
 * data (sectors), one 16-byte sequence with at least 8 different bytes is remembered.
 *
 * A search takes at most REMOVED_LOOKUPS lookups at each place, whatever the values are: the
 * longest value that is there is found by a binary search over lengths (Waldvogel et al., 1997).
 * For this the index has marks, which are beginnings of values: a value's length with some of its
 * lowest bits cleared is the length of such a mark. A value of 45 bytes has marks of 32, 40, 44
 * and 45 bytes. Each mark knows the longest value that it begins with.
 */
#ifndef TRAWL_EDIT_REMOVED_H
#define TRAWL_EDIT_REMOVED_H

#include "edit/classes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	REMOVED_LEAST = 4,
	REMOVED_WHOLE = 8,  /* matches also next to letters and digits */
	REMOVED_BYTES = 16, /* length of binary values */
	REMOVED_LONGEST = 64,
	REMOVED_MOST = 1 << 20,
	REMOVED_LOOKUPS = 11, /* 7 for the bits of a length, 4 for lengths below REMOVED_WHOLE */
};

struct removed_value {
	uint32_t at;          /* offset in `text` */
	uint32_t shorter;     /* 1 + number of the longest value that it begins with; 0: none */
	uint8_t len;
	uint8_t class;
	bool is_public;       /* also occurs in what is kept: not searched for */
	bool is_text;
};

struct removed_mark {
	uint32_t at;          /* offset in `text` */
	uint32_t len;
	uint32_t value;       /* 1 + number of the longest value that it begins with; 0: none */
	uint32_t next;        /* 1 + number of the next mark of the same length; 0: none */
};

struct removed {
	uint64_t seed;        /* of the hashes, so that no file can make them collide */
	char *text;
	size_t len, room;
	struct removed_value *values;
	size_t n, values_room;
	struct removed_mark *marks;
	size_t nmarks, marks_room;
	uint32_t of_length[REMOVED_LONGEST + 1]; /* 1 + number of the first mark of this length */
	uint32_t *slots;      /* hash table of 1 + number of a mark */
	size_t nslots;
	uint64_t *heads;      /* bits: the hashes of values' first 4 or 8 bytes */
	uint64_t *lookups;    /* counts them, for tests; NULL: not counted */
	bool ready;           /* removed_ready() was called */
	bool failed;          /* memory ran out */
	bool full;            /* some values could not be remembered: too many */
};

/* Add a value; adding it again has no effect. Not after removed_ready(). */
void removed_text(struct removed *r, enum secret_class class, const char *p, size_t n);
void removed_bytes(struct removed *r, enum secret_class class, const uint8_t *p, size_t n);
/* To be called when all values are added. Before it, nothing is found. */
void removed_ready(struct removed *r);
/* Marks values as public that removed_find() would find in a kept text. */
void removed_public(struct removed *r, const char *p, size_t n);
/*
 * Finds the first value of at least `least` bytes in p[*from .. n), the longest if several begin
 * there, and sets *from to its offset; NULL if there is none.
 */
const struct removed_value *removed_find(const struct removed *r, const void *p, size_t n,
					 size_t *from, size_t least);
static inline const char *removed_text_of(const struct removed *r, const struct removed_value *v)
{
	return r->text + v->at;
}
void removed_free(struct removed *r);

#endif
