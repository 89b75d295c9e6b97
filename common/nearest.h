/* SPDX-License-Identifier: MIT */
/* Names close to a mistyped one, for "no such …; did you mean …". */
#ifndef TRAWL_COMMON_NEAREST_H
#define TRAWL_COMMON_NEAREST_H

#include <stddef.h>

enum { NEAREST_MAX = 3 };

/* Starts as all zero but `wanted`. Offered names are copied. */
struct nearest {
	const char *wanted;
	size_t count;
	struct nearest_name {
		char *name;
		size_t distance;
	} names[NEAREST_MAX]; /* the closest first */
};

/* Offers one existing name; keeps it if it is among the closest so far and close at all. */
void nearest_offer(struct nearest *n, const char *name);

/* The same, but it is `part` of the name that is compared: what stands after a prefix. */
void nearest_offer_part(struct nearest *n, const char *name, const char *part);

/* "; did you mean a, b or c?" or "" in buf; returns buf. */
const char *nearest_hint(const struct nearest *n, char *buf, size_t size);

void nearest_free(struct nearest *n);

#endif
