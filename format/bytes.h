/* SPDX-License-Identifier: MIT */
/*
 * Little-endian numbers and strings: appended to a growing buffer, read from a bounded view.
 *
 * Both remember failure (`failed`: memory ran out; `bad`: a read past the end), so that a caller
 * can write or read a whole structure and test once at the end.
 */
#ifndef TRAWL_FORMAT_BYTES_H
#define TRAWL_FORMAT_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline uint16_t get16(const void *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return le16toh(v);
}

static inline uint32_t get32(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static inline uint64_t get64(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

static inline void put16(void *p, uint16_t v)
{
	v = htole16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void put32(void *p, uint32_t v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void put64(void *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof(v));
}

static inline __attribute__((always_inline)) void copy_pieces(uint8_t *to, const uint8_t *from,
							      size_t n, size_t piece)
{
	for (size_t at = 0; at < n - piece; at += piece)
		memcpy(to + at, from + at, piece);
	memcpy(to + n - piece, from + n - piece, piece);
}

/* As memcpy(), but faster for the lengths of most records: it is inlined. */
static inline void copy_few(void *to, const void *from, size_t n)
{
	if (n >= 32 && n <= 256)
		copy_pieces(to, from, n, 32);
	else if (n >= 8 && n < 32)
		copy_pieces(to, from, n, 8);
	else if (n >= 4 && n < 8)
		copy_pieces(to, from, n, 4);
	else
		memcpy(to, from, n);
}

/* Whether n bytes are equal; inlined likewise. */
static inline bool same_few(const uint8_t *p, const uint8_t *q, size_t n)
{
	if (n < 8 || n > 64)
		return !memcmp(p, q, n);
	for (size_t at = 0; at < n - 8; at += 8)
		if (get64(p + at) != get64(q + at))
			return false;
	return get64(p + n - 8) == get64(q + n - 8);
}

struct buf {
	uint8_t *data;
	size_t len, cap;
	bool failed;
};

bool buf_grow(struct buf *b, size_t n);

/* Room for n more bytes at b->data + b->len; false when memory runs out. */
static inline bool buf_reserve(struct buf *b, size_t n)
{
	return (!b->failed && n <= b->cap - b->len) || buf_grow(b, n);
}

void buf_put(struct buf *b, const void *p, size_t n);
void buf_u8(struct buf *b, uint8_t v);
void buf_u16(struct buf *b, uint16_t v);
void buf_u32(struct buf *b, uint32_t v);
void buf_u64(struct buf *b, uint64_t v);
/* u16 length and the bytes; the text is cut at 65535 bytes. NULL is the empty text. */
void buf_text(struct buf *b, const char *s);
void buf_free(struct buf *b);

struct view {
	const uint8_t *p, *end;
	bool bad;
};

static inline size_t view_left(const struct view *v)
{
	return (size_t)(v->end - v->p);
}

/* A view of the bytes in b, valid until b changes. */
static inline struct view buf_view(const struct buf *b)
{
	/* nothing may be added to a null pointer, not even 0 */
	return (struct view){ b->data, b->len ? b->data + b->len : b->data, b->failed };
}

/*
 * A LIST macro names the members of a struct in the order of the file, as F(size, member), or
 * Z(size) for zeros. LIST(PUT_PART, PUT_ZERO) appends struct s to buffer b; LIST(GET_PART,
 * GET_ZERO) reads it from view v.
 */
#define PUT_PART(size, member) buf_##size(b, s->member);
#define PUT_ZERO(size) buf_##size(b, 0);
#define GET_PART(size, member) s->member = view_##size(v);
#define GET_ZERO(size) view_##size(v);

/* Consumes n bytes of the view; returns NULL and sets v->bad if there are fewer. */
const uint8_t *view_bytes(struct view *v, size_t n);
uint8_t view_u8(struct view *v);
uint16_t view_u16(struct view *v);
uint32_t view_u32(struct view *v);
uint64_t view_u64(struct view *v);
/*
 * Reads a text with u16 length. Returns a NUL-terminated copy for free(); NULL if v is bad, or
 * memory runs out.
 */
char *view_text(struct view *v);
char *view_text_n(struct view *v, size_t n);

#endif
