/* SPDX-License-Identifier: MIT */
#include "format/code.h"
#include "format/loops.h"

/* Moves eight codes of one bit, one a byte, into the lowest 8 bits. */
static inline uint64_t gather1(uint64_t x)
{
	x = (x | x >> 7) & 0x0003000300030003ull;
	x = (x | x >> 14) & 0x0000000f0000000full;
	return (x | x >> 28) & 0xff;
}

/* The same for codes of two bits, into the lowest 16. */
static inline uint64_t gather2(uint64_t x)
{
	x = (x | x >> 6) & 0x000f000f000f000full;
	x = (x | x >> 12) & 0x000000ff000000ffull;
	return (x | x >> 24) & 0xffff;
}

static inline uint64_t scatter1(uint64_t x)
{
	x = (x | x << 28) & 0x0000000f0000000full;
	x = (x | x << 14) & 0x0003000300030003ull;
	return (x | x << 7) & 0x0101010101010101ull;
}

static inline uint64_t scatter2(uint64_t x)
{
	x = (x | x << 24) & 0x000000ff000000ffull;
	x = (x | x << 12) & 0x000f000f000f000full;
	return (x | x << 6) & 0x0303030303030303ull;
}

static size_t packed_size(uint32_t n, unsigned int npredictors)
{
	return npredictors == 1 ? (n + 7ull) / 8 : (n + 3ull) / 4;
}

LOOPS void code_pack(uint8_t *code, uint32_t n, unsigned int npredictors, struct buf *out)
{
	size_t size = packed_size(n, npredictors);
	uint8_t *p;

	if (!buf_reserve(out, size + 2))
		return;
	memset(code + n, 0, 8);
	p = out->data + out->len;
	out->len += size;
	if (npredictors == 1)
		for (uint32_t i = 0; i < n; i += 8)
			*p++ = (uint8_t)gather1(get64(code + i));
	else
		for (uint32_t i = 0; i < n; i += 8, p += 2)
			put16(p, (uint16_t)gather2(get64(code + i)));
}

LOOPS bool code_unpack(struct view *in, uint32_t n, unsigned int npredictors, uint8_t *code)
{
	size_t size = packed_size(n, npredictors);
	const uint8_t *p = view_bytes(in, size);

	if (!p)
		return false;
	/* 8 readable bytes follow every substream. */
	if (npredictors == 1)
		for (uint32_t i = 0; i < n; i += 8)
			put64(code + i, scatter1(*p++));
	else
		for (uint32_t i = 0; i < n; i += 8, p += 2)
			put64(code + i, scatter2(get16(p)));
	return true;
}
