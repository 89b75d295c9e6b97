/* SPDX-License-Identifier: MIT */
/* Finds the names closest to a mistyped one, for "no such …; did you mean …". */
#ifndef TRAWL_COMMON_NEAREST_H
#define TRAWL_COMMON_NEAREST_H

#include <stddef.h>

enum { NEAREST_MAX = 3 };

/* Initialise with zeros, except `wanted`. Offered names are copied. */
struct nearest {
	const char *wanted;
	size_t count;
	struct nearest_name {
		char *name;
		size_t distance;
	} names[NEAREST_MAX]; /* the closest first */
};

/* Offers an existing name, which is kept if it is similar and among the closest so far. */
void nearest_offer(struct nearest *n, const char *name);

/* The same, but compares only `part`: the name without its prefix. */
void nearest_offer_part(struct nearest *n, const char *name, const char *part);

/* Writes "; did you mean a, b or c?", or "" if no name is similar, to buf; returns buf. */
const char *nearest_hint(const struct nearest *n, char *buf, size_t size);

void nearest_free(struct nearest *n);

#endif
