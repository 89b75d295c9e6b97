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
	size_t newest;   /* slot to try first: that of the last key, or any */
	uint64_t missed; /* additions that no entry counts, because memory ran out */
};

/*
 * Counts a key of n bytes at a time (ns); the tally copies it. A zeroed struct is an empty tally.
 */
void tally_add(struct tally *t, const void *key, size_t n, uint64_t time);
/*
 * Returns the *n entries by falling count, then by key; they are valid until tally_free(). This
 * reorders the table: nothing may be added afterwards.
 */
const struct tally_entry *tally_sorted(struct tally *t, size_t *n);
void tally_free(struct tally *t);

#endif
