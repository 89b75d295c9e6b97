/* SPDX-License-Identifier: MIT */
#include "format/varint.h"

void buf_varint(struct buf *b, uint64_t v)
{
	uint8_t *p;

	if (!buf_reserve(b, 10))
		return;
	p = b->data + b->len;
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	b->len = (size_t)(p - b->data);
}

uint64_t view_varint(struct view *v)
{
	uint64_t x = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t c = view_u8(v);

		if (v->bad || (shift == 63 && c > 1))
			break;
		x |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return x;
	}
	v->bad = true;
	return 0;
}

uint64_t view_varint_max(struct view *v, uint64_t max)
{
	uint64_t x = view_varint(v);

	if (x <= max)
		return x;
	v->bad = true;
	return 0;
}
