/* SPDX-License-Identifier: MIT */
/* Formats numbers as digits. */
#ifndef TRAWL_DECODE_BASE_NUMBER_H
#define TRAWL_DECODE_BASE_NUMBER_H

#include "decode/base/output.h"

/*
 * put_NAME() writes to p, which has room for 20 bytes, and returns the end; callers reserve the
 * room of a whole line by out_need(). out_NAME() appends to an output buffer.
 */
char *put_large(char *p, uint64_t v);
char *put_s64(char *p, int64_t v);
char *put_hex(char *p, uint64_t v);
char *put_xdigits(char *p, uint64_t v, unsigned int width); /* at least width digits, without 0x */
/* Writes the last `width` (1 to 8) decimal digits of v < 10^8, with leading zeros. */
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
void out_digits(struct out *o, uint64_t v, unsigned int width); /* at least width digits */
void out_xdigits(struct out *o, uint64_t v, unsigned int width); /* in hex, without 0x */
void out_double(struct out *o, double v); /* shortest text that reads back equal; nan, inf */

/* A JSON number; nan and inf, which JSON does not have, become null. */
void out_json_double(struct out *o, double v);

/* A count with the thing counted, in the plural if needed: "1 byte", "2 bytes". */
void out_count(struct out *o, uint64_t n, const char *thing);

/* Bytes as hex digits: "48656c6c6f". */
void out_hexbytes(struct out *o, const void *p, size_t n);

#endif
