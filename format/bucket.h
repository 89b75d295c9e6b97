/* SPDX-License-Identifier: MIT */
/*
 * Bucket codes: a number is coded as the number of its bucket, one byte, and its offset in the
 * bucket, some bits.
 *
 * Buckets grow with the number: eight for each power of two up to 2^27, one above. The bytes
 * compress well. The bits hardly compress and are stored packed, lowest bit first. docs/format.md,
 * "Bucket codes".
 */
#ifndef TRAWL_FORMAT_BUCKET_H
#define TRAWL_FORMAT_BUCKET_H

#include "format/varint.h"

enum {
	BUCKET_EXACT = 16, /* a smaller number is its own code */
	BUCKET_WIDE = 200, /* first code whose bucket is a whole power of two: 2^27 */
	BUCKET_CODES = 237,
};

static inline uint8_t bucket_code(uint64_t v, unsigned int *bits)
{
	unsigned int e;

	*bits = 0;
	if (v < BUCKET_EXACT)
		return v;
	e = 63 - __builtin_clzll(v);
	if (e >= 27) {
		*bits = e;
		return BUCKET_WIDE + e - 27;
	}
	*bits = e - 3;
	return BUCKET_EXACT + (e - 4) * 8 + (v >> (e - 3) & 7);
}

/* Appends the codes of n numbers to codes and their bits, padded to a byte, to bits. */
void bucket_encode(const uint64_t *v, size_t n, struct buf *codes, struct buf *bits);

/*
 * Decodes n numbers; `bits` must hold 8 readable bytes after its end. Returns false for a code
 * that does not exist or when the bits end too early.
 */
bool bucket_decode(const uint8_t *codes, size_t n, struct view *bits, uint64_t *v);

#endif
