/* SPDX-License-Identifier: MIT */
#include "decode/export/protobuf.h"
#include "decode/base/escape.h"
#include "decode/base/number.h"

void pb_safe(struct out *o, uint32_t field, const void *text, size_t n)
{
	size_t start, size, extra;
	char length[10], *end = length;

	pb_varint(o, field << 3 | 2);
	out_char(o, '\0'); /* the length, which fits into one byte as a rule */
	start = o->len;
	out_safe(o, text, n);
	if (o->error)
		return;
	size = o->len - start;
	for (; size >= 0x80; size >>= 7)
		*end++ = (char)(size | 0x80);
	*end++ = (char)size;
	extra = (size_t)(end - length) - 1;
	if (extra) {
		out_need(o, extra);
		if (o->error)
			return;
		memmove(o->data + start + extra, o->data + start, o->len - start);
		o->len += extra;
	}
	memcpy(o->data + start - 1, length, extra + 1);
}

void pb_hex(struct out *o, uint32_t field, const void *p, size_t n)
{
	pb_varint(o, field << 3 | 2);
	pb_varint(o, 2 * n);
	out_hexbytes(o, p, n);
}
