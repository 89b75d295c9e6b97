/* SPDX-License-Identifier: MIT */
/*
 * Integers in unaligned bytes, little endian unless the name has `be`: get16(p), put16(p, v) and so
 * on. Nothing is checked: the caller guarantees that the bytes exist.
 */
#ifndef TRAWL_DECODE_BASE_BYTES_H
#define TRAWL_DECODE_BASE_BYTES_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define GET_AND_PUT(bits)                                       \
	static inline uint##bits##_t get##bits(const void *p)   \
	{                                                       \
		uint##bits##_t v;                               \
                                                                \
		memcpy(&v, p, sizeof(v));                       \
		return le##bits##toh(v);                        \
	}                                                       \
                                                                \
	static inline void put##bits(void *p, uint##bits##_t v) \
	{                                                       \
		v = htole##bits(v);                             \
		memcpy(p, &v, sizeof(v));                       \
	}

GET_AND_PUT(16)
GET_AND_PUT(32)
GET_AND_PUT(64)
#undef GET_AND_PUT

/* Reads n <= 8 bytes, little endian. */
static inline uint64_t get_le(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

/* The same, big endian. */
static inline uint64_t get_be(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v = v << 8 | p[i];
	return v;
}

static inline uint16_t get_be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t get_be32(const uint8_t *p)
{
	return (uint32_t)get_be16(p) << 16 | get_be16(p + 2);
}

static inline uint64_t get_be64(const uint8_t *p)
{
	return (uint64_t)get_be32(p) << 32 | get_be32(p + 4);
}

static inline void put_be32(uint8_t *p, uint32_t v)
{
	v = htobe32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void put_be64(uint8_t *p, uint64_t v)
{
	v = htobe64(v);
	memcpy(p, &v, sizeof(v));
}

/* Returns the value of a hex digit; 16 or more if c is none. */
static inline unsigned int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a') + 10 : 16;
}

#endif
