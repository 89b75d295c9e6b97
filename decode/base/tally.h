/* SPDX-License-Identifier: MIT */
/* Counting by name: a hash table that grows. */
#ifndef TRAWL_DECODE_BASE_TALLY_H
#define TRAWL_DECODE_BASE_TALLY_H

#include <stddef.h>
#include <stdint.h>

struct tally_entry {
	char *key; /* NUL-terminated copy; NULL: an empty slot */
	uint32_t len;
	uint32_t hash;
	uint64_t count, first, last;
};

struct tally {
	struct tally_entry *slots;
	size_t nslots, used;
	uint64_t missed; /* not counted apart for want of memory */
};

/* One more of this key at this time. A zeroed struct is an empty tally. */
void tally_add(struct tally *t, const void *key, size_t n, uint64_t time);
/* The entries by falling count, then by key; *n of them. Invalidates the table: only once. */
const struct tally_entry *tally_sorted(struct tally *t, size_t *n);
void tally_free(struct tally *t);

#endif
