/* SPDX-License-Identifier: MIT */
#include "format/bucket.h"
#include "format/loops.h"

/*
 * Stores *hold, to which `more` bits were added. Keeps the incomplete last byte; returns its place.
 */
static inline uint8_t *put_whole(uint8_t *b, uint64_t *hold, unsigned int *held, unsigned int more)
{
	put64(b, *hold);
	*held += more;
	b += *held / 8;
	*hold >>= *held & ~7u;
	*held %= 8;
	return b;
}

LOOPS void bucket_encode(const uint64_t *v, size_t n, struct buf *codes, struct buf *bits)
{
	uint8_t *c, *b;
	uint64_t hold = 0;
	unsigned int held = 0;

	if (!buf_reserve(codes, n) || !buf_reserve(bits, n * 8 + 16))
		return;
	c = codes->data + codes->len;
	b = bits->data + bits->len;
	for (size_t i = 0; i < n; i++) {
		unsigned int width, half;
		uint64_t x;

		c[i] = bucket_code(v[i], &width);
		x = v[i] & ((1ull << width) - 1);
		/* fewer than 8 bits are held, so 56 more fit into 64 */
		half = width > 56 ? 32 : 0;
		if (half) {
			hold |= (x & UINT32_MAX) << held;
			b = put_whole(b, &hold, &held, half);
			x >>= half;
		}
		hold |= x << held;
		b = put_whole(b, &hold, &held, width - half);
	}
	put64(b, hold);
	b += (held + 7) / 8;
	codes->len += n;
	bits->len = b - bits->data;
}

struct bucket {
	uint64_t base;
	uint64_t bits;
};

#define EXACT4(c) { c, 0 }, { c + 1, 0 }, { c + 2, 0 }, { c + 3, 0 }
#define EIGHT(bits) \
	{ 8ull << (bits), bits }, { 9ull << (bits), bits }, { 10ull << (bits), bits }, \
	{ 11ull << (bits), bits }, { 12ull << (bits), bits }, { 13ull << (bits), bits }, \
	{ 14ull << (bits), bits }, { 15ull << (bits), bits }
#define WIDE(e) { 1ull << (e), e }
#define WIDE4(e) WIDE(e), WIDE(e + 1), WIDE(e + 2), WIDE(e + 3)

static const struct bucket buckets[256] = {
	EXACT4(0), EXACT4(4), EXACT4(8), EXACT4(12),
	EIGHT(1), EIGHT(2), EIGHT(3), EIGHT(4), EIGHT(5), EIGHT(6), EIGHT(7), EIGHT(8),
	EIGHT(9), EIGHT(10), EIGHT(11), EIGHT(12), EIGHT(13), EIGHT(14), EIGHT(15), EIGHT(16),
	EIGHT(17), EIGHT(18), EIGHT(19), EIGHT(20), EIGHT(21), EIGHT(22), EIGHT(23),
	WIDE(27), WIDE4(28), WIDE4(32), WIDE4(36), WIDE4(40), WIDE4(44), WIDE4(48), WIDE4(52),
	WIDE4(56), WIDE4(60),
};

/* Returns how many bits follow the codes; UINT64_MAX if one of them is not a valid code. */
LOOPS static uint64_t bucket_total(const uint8_t *codes, size_t n)
{
	uint64_t total = 0;
	uint8_t worst = 0;

	for (size_t i = 0; i < n; i++) {
		total += buckets[codes[i]].bits;
		worst = codes[i] > worst ? codes[i] : worst;
	}
	return worst < BUCKET_CODES ? total : UINT64_MAX;
}

LOOPS bool bucket_decode(const uint8_t *codes, size_t n, struct view *bits, uint64_t *v)
{
	uint64_t total = bucket_total(codes, n), at = 0;
	const uint8_t *b;

	if (total == UINT64_MAX)
		return false;
	b = view_bytes(bits, total / 8 + (total % 8 != 0));
	if (!b)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct bucket *k = &buckets[codes[i]];
		uint64_t x;

		memcpy(&x, b + at / 8, 8);
		x >>= at % 8;
		/* 8 bytes contain at least 57 bits; rare longer numbers need a ninth */
		if (k->bits > 57 && at % 8)
			x |= (uint64_t)b[at / 8 + 8] << (64 - at % 8);
		v[i] = k->base + (x & ((1ull << k->bits) - 1));
		at += k->bits;
	}
	return true;
}
