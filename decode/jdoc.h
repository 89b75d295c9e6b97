/* SPDX-License-Identifier: MIT */
/*
 * A reader for the JSON that is in a file's metadata (RFC 8259). The text is foreign: depth and size
 * are bounded, and anything wrong gives NULL.
 */
#ifndef TRAWL_DECODE_JDOC_H
#define TRAWL_DECODE_JDOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jdoc_type { JDOC_NULL, JDOC_BOOL, JDOC_INT, JDOC_FLOAT, JDOC_STRING, JDOC_ARRAY, JDOC_OBJECT };

struct jdoc {
	enum jdoc_type type;
	const char *key;    /* of a member, else NULL; NUL-terminated */
	const char *string; /* of a STRING; may hold NULs */
	size_t len;
	bool negative;      /* INT: the number is -integer */
	uint64_t integer;   /* INT, BOOL */
	double number;      /* FLOAT, and INT too */
	struct jdoc *first, *next; /* children, siblings */
};

/* The whole text is one value; NULL if it is not. Free with jdoc_free(). */
struct jdoc *jdoc_parse(const void *text, size_t len);
void jdoc_free(struct jdoc *root);

/* All take NULL and the wrong type, and then give NULL, the default, or "". */
const struct jdoc *jdoc_get(const struct jdoc *object, const char *key);
const char *jdoc_string(const struct jdoc *object, const char *key); /* NUL-terminated */
int64_t jdoc_int(const struct jdoc *object, const char *key, int64_t otherwise);
uint64_t jdoc_uint(const struct jdoc *object, const char *key, uint64_t otherwise);

#endif
