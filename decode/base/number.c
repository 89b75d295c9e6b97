/* SPDX-License-Identifier: MIT */
#include "decode/base/number.h"

#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char hexdigit[] = "0123456789abcdef";

#define EIGHT_DIGITS 100000000u
#define ZEROS        0x3030303030303030ull

/*
 * Returns the eight decimal digits of v, one in each byte, the first in the lowest byte. Splits v
 * three times into halves, all parts of a step at once; the multiplications divide by 100 and by
 * 10, exactly for numbers of this size.
 */
static inline uint64_t eight_digits(uint32_t v)
{
	uint64_t high = v / 10000, x = high | (uint64_t)(v - (uint32_t)high * 10000) << 32, tens;

	tens = (x * 10486 >> 20) & 0x0000007f0000007full;
	x = tens | (x - tens * 100) << 16;
	tens = (x * 103 >> 10) & 0x000f000f000f000full;
	return tens | (x - tens * 10) << 8;
}

static inline void put_eight(char *p, uint64_t bytes)
{
	bytes = htole64(bytes);
	memcpy(p, &bytes, sizeof(bytes));
}

/* Writes 0 < v < 10^8 without leading zeros; overwrites eight bytes. */
static inline char *put_short(char *p, uint32_t v)
{
	uint64_t digits = eight_digits(v);
	unsigned int zeros = (unsigned int)__builtin_ctzll(digits) / 8;

	put_eight(p, (digits | ZEROS) >> 8 * zeros);
	return p + 8 - zeros;
}

static inline char *put_whole(char *p, uint32_t v)
{
	put_eight(p, eight_digits(v) | ZEROS);
	return p + 8;
}

char *put_large(char *p, uint64_t v)
{
	uint64_t high;

	if (v < EIGHT_DIGITS)
		return put_short(p, (uint32_t)v);
	high = v / EIGHT_DIGITS;
	if (high < EIGHT_DIGITS) {
		p = put_short(p, (uint32_t)high);
	} else {
		p = put_short(p, (uint32_t)(high / EIGHT_DIGITS));
		p = put_whole(p, (uint32_t)(high % EIGHT_DIGITS));
	}
	return put_whole(p, (uint32_t)(v % EIGHT_DIGITS));
}

char *put_digits(char *p, uint32_t v, unsigned int width)
{
	put_eight(p, (eight_digits(v) | ZEROS) >> 8 * (8 - width));
	return p + width;
}

char *put_s64(char *p, int64_t v)
{
	if (v >= 0)
		return put_u64(p, (uint64_t)v);
	*p = '-';
	return put_u64(p + 1, 0 - (uint64_t)v);
}

/* Returns the eight hex digits of v as text, the first in the lowest byte. */
static inline uint64_t eight_xdigits(uint32_t v)
{
	uint64_t x = v, letters;

	x = (x | x << 16) & 0x0000ffff0000ffffull;
	x = (x | x << 8) & 0x00ff00ff00ff00ffull;
	x = (x | x << 4) & 0x0f0f0f0f0f0f0f0full;
	letters = (x + 0x0606060606060606ull) >> 4 & 0x0101010101010101ull;
	return __builtin_bswap64(x + ZEROS + letters * ('a' - '9' - 1));
}

char *put_xdigits(char *p, uint64_t v, unsigned int width)
{
	unsigned int n = (unsigned int)(67 - __builtin_clzll(v | 1)) / 4;

	if (n < width)
		n = width > 16 ? 16 : width;
	if (n <= 8) {
		put_eight(p, eight_xdigits((uint32_t)v) >> 8 * (8 - n));
		return p + n;
	}
	put_eight(p, eight_xdigits((uint32_t)(v >> 32)) >> 8 * (16 - n));
	put_eight(p + n - 8, eight_xdigits((uint32_t)v));
	return p + n;
}

char *put_hex(char *p, uint64_t v)
{
	p[0] = '0';
	p[1] = 'x';
	return put_xdigits(p + 2, v, 1);
}

void out_u64(struct out *o, uint64_t v)
{
	out_used(o, put_u64(out_need(o, 20), v));
}

void out_s64(struct out *o, int64_t v)
{
	out_used(o, put_s64(out_need(o, 20), v));
}

void out_hex(struct out *o, uint64_t v)
{
	out_used(o, put_hex(out_need(o, 20), v));
}

void out_digits(struct out *o, uint64_t v, unsigned int width)
{
	char digits[20];
	size_t n = (size_t)(put_u64(digits, v) - digits);

	if (n < width)
		out_fill(o, '0', width - n);
	out_bytes(o, digits, n);
}

void out_xdigits(struct out *o, uint64_t v, unsigned int width)
{
	out_used(o, put_xdigits(out_need(o, 20), v, width));
}

void out_double(struct out *o, double v)
{
	char text[32];
	int precision;

	for (precision = 15; precision < 18; precision++) {
		snprintf(text, sizeof(text), "%.*g", precision, v);
		if (isnan(v) || strtod(text, NULL) == v)
			break;
	}
	out_str(o, text);
}

void out_json_double(struct out *o, double v)
{
	if (isfinite(v))
		out_double(o, v);
	else
		out_str(o, "null");
}

void out_count(struct out *o, uint64_t n, const char *thing)
{
	size_t len = strlen(thing);

	out_u64(o, n);
	out_char(o, ' ');
	out_str(o, thing);
	if (n != 1)
		out_str(o, len > 2 && !strcmp(thing + len - 2, "ch") ? "es" : "s"); /* "branches" */
}

void out_hexbytes(struct out *o, const void *p, size_t n)
{
	const unsigned char *from = p;

	while (n) {
		size_t part = n < OUT_NEED / 2 ? n : OUT_NEED / 2;
		char *to = out_need(o, 2 * part);

		for (size_t i = 0; i < part; i++) {
			*to++ = hexdigit[from[i] >> 4];
			*to++ = hexdigit[from[i] & 15];
		}
		o->len += 2 * part;
		from += part;
		n -= part;
	}
}
