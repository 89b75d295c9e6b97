/* SPDX-License-Identifier: MIT */
/*
 * The values that were removed from a file, in memory only: to replace them at other places, and to
 * search the output for them.
 *
 * A text of 4 to 7 bytes matches only if no letter or digit is next to it; a shorter one never
 * matches. A text of more than 64 bytes is remembered as pieces of 33 to 64 bytes, each a value of
 * its own. Of binary data (sectors), one 16-byte sequence with at least 8 different bytes is
 * remembered.
 *
 * A search needs at most REMOVED_LOOKUPS lookups at each place, independent of the values: it finds
 * the longest matching value by a binary search over lengths (Waldvogel et al., 1997). For this
 * purpose the index has marks, which are prefixes of values: clearing some of the lowest bits of a
 * value's length gives the length of a mark. A value of 45 bytes has marks of 32, 40, 44 and 45
 * bytes. Each mark refers to the longest value that is a prefix of it.
 */
#ifndef TRAWL_EDIT_REMOVED_H
#define TRAWL_EDIT_REMOVED_H

#include "edit/classes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	REMOVED_LEAST = 4,
	REMOVED_WHOLE = 8,  /* values of this length also match next to letters and digits */
	REMOVED_BYTES = 16, /* length of binary values */
	REMOVED_LONGEST = 64,
	REMOVED_MOST = 1 << 20,
	REMOVED_LOOKUPS = 11, /* 7 for the bits of a length, 4 for lengths below REMOVED_WHOLE */
};

struct removed_value {
	uint32_t at;          /* offset in `text` */
	/* 1 + number of the longest value that is a proper prefix of it; 0: none */
	uint32_t shorter;
	uint8_t len;
	uint8_t class;
	bool is_public;       /* also occurs in what is kept: not searched for */
	bool is_text;
};

struct removed_mark {
	uint32_t at;          /* offset in `text` */
	uint32_t len;
	uint32_t value;       /* 1 + number of the longest value that is a prefix of it; 0: none */
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
	bool full;            /* there were too many values to remember all */
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
