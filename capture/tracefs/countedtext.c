/* SPDX-License-Identifier: MIT */
#include "capture/tracefs/countedtext.h"

#include <string.h>

#include "capture/tracefs/ring.h"
#include "format/trawl.h"

enum { OBJECT = 24, SHORT_AT = 1, LENGTH_AT = 8 };

/* A text: its bytes in the record, and the length of the whole text. */
struct piece {
	const uint8_t *bytes;
	uint32_t room;
	uint64_t length;
	bool readable;
};

static bool has_any(const uint8_t *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (p[i])
			return true;
	return false;
}

static struct piece find_plain(const struct counted_text *t, const uint8_t *record)
{
	struct piece p = { .bytes = record + t->at, .room = t->room,
			   .length = ring_u64(record + t->length_at) };

	p.readable = p.length ? has_any(p.bytes, p.room) :
				!t->never_null || ring_u64(record + t->pointer_at);
	return p;
}

/* Bit 0 of the first byte is set in a long string; a short one has its length in bits 1 to 7. */
static struct piece find_libcxx(const struct counted_text *t, const uint8_t *record)
{
	const uint8_t *object = record + t->pointer_at;
	struct piece p = { .bytes = object + SHORT_AT, .room = OBJECT - SHORT_AT,
			   .length = object[0] >> 1 };
	uint32_t start;

	memcpy(&start, record + t->length_at, sizeof(start));
	p.readable = trawl_loc_len(start) > 0;
	if (object[0] & 1) {
		p.bytes = record + t->at;
		p.room = t->room;
		p.length = ring_u64(object + LENGTH_AT);
		p.readable &= !p.length || has_any(p.bytes, p.room);
	}
	return p;
}

static bool fits(const struct counted_text *t, uint32_t len)
{
	return t->at <= len && t->room <= len - t->at &&
	       t->pointer_at + (t->libcxx ? OBJECT : 8) <= len &&
	       t->length_at + (t->libcxx ? 4 : 8) <= len;
}

/* Writes the bytes of a text, and a NUL if it is whole. Returns the number of bytes written. */
static uint32_t put(const struct piece *p, uint8_t *to, uint32_t size)
{
	uint32_t n = p->length < p->room ? (uint32_t)p->length : p->room;
	const uint8_t *nul;

	if (!p->readable || p->length > INT64_MAX || !size) /* negative lengths are invalid */
		return 0;
	if (n > size - 1)
		n = size - 1;
	nul = memchr(p->bytes, 0, n);
	if (nul)
		n = (uint32_t)(nul - p->bytes);
	memcpy(to, p->bytes, n);
	if (nul || n < p->length)
		return n;
	to[n] = '\0';
	return n + 1;
}

uint32_t counted_texts_put(const struct counted_text *texts, size_t n, const void *record,
			   uint32_t len, uint8_t *copy, uint32_t size)
{
	uint32_t end = len;

	if (len > size)
		return 0;
	memcpy(copy, record, len);
	for (size_t i = 0; i < n; i++) {
		struct piece p;
		uint32_t loc, put_bytes;

		if (!fits(&texts[i], len))
			return 0;
		p = texts[i].libcxx ? find_libcxx(&texts[i], record)
				    : find_plain(&texts[i], record);
		put_bytes = put(&p, copy + end, size - end);
		memset(copy + texts[i].at, 0, texts[i].room);
		loc = trawl_loc(put_bytes, end);
		memcpy(copy + texts[i].at, &loc, sizeof(loc));
		end += put_bytes;
	}
	/* The length of the kernel's records is a multiple of 4 bytes. */
	while (end % 4 && end < size)
		copy[end++] = 0;
	return end;
}
