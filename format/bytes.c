/* SPDX-License-Identifier: MIT */
#include "format/bytes.h"

#include <errno.h>

bool buf_grow(struct buf *b, size_t n)
{
	size_t cap = b->cap ? b->cap : 256;
	uint8_t *p;

	if (b->failed) {
		errno = ENOMEM; /* set again: the buffer is still incomplete */
		return false;
	}
	while (cap - b->len < n)
		cap *= 2;
	p = realloc(b->data, cap);
	if (!p) {
		b->failed = true;
		return false;
	}
	b->data = p;
	b->cap = cap;
	return true;
}

void buf_put(struct buf *b, const void *p, size_t n)
{
	if (!n || !buf_reserve(b, n))
		return;
	memcpy(b->data + b->len, p, n);
	b->len += n;
}

void buf_u8(struct buf *b, uint8_t v)
{
	buf_put(b, &v, 1);
}

void buf_u16(struct buf *b, uint16_t v)
{
	v = htole16(v);
	buf_put(b, &v, sizeof(v));
}

void buf_u32(struct buf *b, uint32_t v)
{
	v = htole32(v);
	buf_put(b, &v, sizeof(v));
}

void buf_u64(struct buf *b, uint64_t v)
{
	v = htole64(v);
	buf_put(b, &v, sizeof(v));
}

void buf_text(struct buf *b, const char *s)
{
	size_t n = s ? strlen(s) : 0;

	if (n > UINT16_MAX)
		n = UINT16_MAX;
	buf_u16(b, (uint16_t)n);
	buf_put(b, s, n);
}

void buf_free(struct buf *b)
{
	free(b->data);
	memset(b, 0, sizeof(*b));
}

const uint8_t *view_bytes(struct view *v, size_t n)
{
	const uint8_t *p = v->p;

	if (v->bad || view_left(v) < n) {
		v->bad = true;
		return NULL;
	}
	v->p += n;
	return p;
}

uint8_t view_u8(struct view *v)
{
	const uint8_t *p = view_bytes(v, 1);

	return p ? *p : 0;
}

uint16_t view_u16(struct view *v)
{
	const uint8_t *p = view_bytes(v, 2);

	return p ? get16(p) : 0;
}

uint32_t view_u32(struct view *v)
{
	const uint8_t *p = view_bytes(v, 4);

	return p ? get32(p) : 0;
}

uint64_t view_u64(struct view *v)
{
	const uint8_t *p = view_bytes(v, 8);

	return p ? get64(p) : 0;
}

char *view_text_n(struct view *v, size_t n)
{
	const uint8_t *p = view_bytes(v, n);
	char *s = p ? malloc(n + 1) : NULL;

	if (!s) {
		v->bad = true;
		return NULL;
	}
	memcpy(s, p, n);
	s[n] = 0;
	return s;
}

char *view_text(struct view *v)
{
	return view_text_n(v, view_u16(v));
}
