/* SPDX-License-Identifier: MIT */
/*
 * Writes protobuf's wire format (protobuf.dev/programming-guides/encoding).
 *
 * A nested message is written in place: its length is reserved as a varint of four bytes, which
 * pb_end() fills in. This is longer than necessary but valid.
 */
#ifndef TRAWL_DECODE_EXPORT_PROTOBUF_H
#define TRAWL_DECODE_EXPORT_PROTOBUF_H

#include <errno.h>

#include "decode/base/output.h"

static inline void pb_varint(struct out *o, uint64_t v)
{
	char *to = out_need(o, 10);

	for (; v >= 0x80; v >>= 7)
		*to++ = (char)(v | 0x80);
	*to++ = (char)v;
	out_used(o, to);
}

static inline void pb_uint(struct out *o, uint32_t field, uint64_t v)
{
	pb_varint(o, field << 3 | 0);
	pb_varint(o, v);
}

static inline void pb_int(struct out *o, uint32_t field, int64_t v)
{
	pb_uint(o, field, (uint64_t)v);
}

static inline void pb_double(struct out *o, uint32_t field, double v)
{
	pb_varint(o, field << 3 | 1);
	out_bytes(o, &v, 8);
}

static inline void pb_bytes(struct out *o, uint32_t field, const void *p, size_t n)
{
	pb_varint(o, field << 3 | 2);
	pb_varint(o, n);
	out_bytes(o, p, n);
}

static inline void pb_string(struct out *o, uint32_t field, const char *s)
{
	pb_bytes(o, field, s, strlen(s));
}

/*
 * A string field of foreign text, escaped by out_safe(): protobuf requires UTF-8. The output must
 * be in memory.
 */
void pb_safe(struct out *o, uint32_t field, const void *text, size_t n);
/* A string field with the hex digits of n bytes. */
void pb_hex(struct out *o, uint32_t field, const void *p, size_t n);

/*
 * pb_begin() starts a nested message and returns a value for pb_end(). The output must be in
 * memory.
 */
static inline size_t pb_begin(struct out *o, uint32_t field)
{
	pb_varint(o, field << 3 | 2);
	memset(out_need(o, 4), 0, 4);
	o->len += 4;
	return o->len;
}

static inline void pb_end(struct out *o, size_t start)
{
	size_t n = o->len - start;

	if (o->error)
		return;
	if (n >> 28) {
		o->error = EFBIG;
		return;
	}
	for (int i = 0; i < 4; i++)
		o->data[start - 4 + (size_t)i] = (char)((n >> (7 * i) & 0x7f) | (i < 3 ? 0x80 : 0));
}

#endif
