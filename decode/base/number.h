/* SPDX-License-Identifier: MIT */
/* Numbers as digits. */
#ifndef TRAWL_DECODE_BASE_NUMBER_H
#define TRAWL_DECODE_BASE_NUMBER_H

#include "decode/base/output.h"

/*
 * put_...() writes to a place with room for 20 bytes, which the caller reserved for a whole line
 * with out_need(), and returns the end of what it wrote. out_...() appends to an output buffer.
 */
char *put_large(char *p, uint64_t v);
char *put_s64(char *p, int64_t v);
char *put_hex(char *p, uint64_t v);
char *put_xdigits(char *p, uint64_t v, unsigned int width); /* at least so many, without 0x */
/* v < 10^8; its last 1 to 8 decimal digits, with leading zeros. */
char *put_digits(char *p, uint32_t v, unsigned int width);

static inline char *put_u64(char *p, uint64_t v)
{
	if (v >= 10)
		return put_large(p, v);
	*p = (char)('0' + v);
	return p + 1;
}

void out_u64(struct out *o, uint64_t v);
void out_s64(struct out *o, int64_t v);
void out_hex(struct out *o, uint64_t v);                       /* 0x..., no leading zeros */
void out_digits(struct out *o, uint64_t v, unsigned int width); /* with leading zeros, at least */
void out_xdigits(struct out *o, uint64_t v, unsigned int width); /* hex likewise, without 0x */
void out_double(struct out *o, double v); /* shortest text that reads back the same; nan, inf */

/* A JSON number; JSON knows no nan and no inf: these become null. */
void out_json_double(struct out *o, double v);

/* So many of a thing: "1 byte", "2 bytes". */
void out_count(struct out *o, uint64_t n, const char *thing);

/* Bytes as hex digits: "48656c6c6f". */
void out_hexbytes(struct out *o, const void *p, size_t n);

#endif
