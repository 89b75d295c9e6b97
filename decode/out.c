/* SPDX-License-Identifier: MIT */
#include "decode/out.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* On a descriptor the buffer is written when less than SPARE is left, so that out_need() of up
 * to SPARE bytes always succeeds at once. */
#define SIZE  (256 * 1024)
#define SPARE (64 * 1024)
#define MEMORY 4096

/* Where appends go after an error or without memory: what is written there is thrown away. */
static char nowhere[SPARE];

static void start(struct out *o, int fd, size_t room)
{
	memset(o, 0, sizeof(*o));
	o->fd = fd;
	o->data = malloc(room);
	o->room = room;
	if (!o->data) {
		o->error = ENOMEM;
		o->data = nowhere;
		o->room = 0;
	}
}

void out_open(struct out *o, int fd)
{
	start(o, fd, SIZE);
}

void out_memory(struct out *o)
{
	start(o, -1, MEMORY);
}

void out_free(struct out *o)
{
	if (o->data != nowhere)
		free(o->data);
	memset(o, 0, sizeof(*o));
	o->fd = -1;
}

int out_flush(struct out *o)
{
	size_t done = 0;

	if (o->fd < 0)
		return o->error ? -1 : 0;
	while (!o->error && done < o->len) {
		ssize_t n = write(o->fd, o->data + done, o->len - done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0)
			o->error = EIO;
		else if (errno != EINTR)
			o->error = errno;
	}
	o->written += done;
	o->len = 0;
	return o->error ? -1 : 0;
}

static char *fail(struct out *o, int error)
{
	if (!o->error)
		o->error = error;
	if (o->data != nowhere)
		free(o->data);
	o->data = nowhere;
	o->len = 0;
	o->room = 0;
	return o->data;
}

char *out_more(struct out *o, size_t n)
{
	size_t room;
	char *data;

	if (o->data == nowhere) {
		o->len = 0;
		return o->data;
	}
	if (o->fd >= 0) {
		out_flush(o);
		return o->data;
	}
	if (n > SIZE_MAX / 4 || o->len > SIZE_MAX / 4)
		return fail(o, ENOMEM);
	for (room = o->room; room - o->len < n;)
		room *= 2;
	data = realloc(o->data, room);
	if (!data)
		return fail(o, ENOMEM);
	o->data = data;
	o->room = room;
	return o->data + o->len;
}

void out_bytes(struct out *o, const void *p, size_t n)
{
	const char *from = p;

	while (n) {
		size_t part = n < SPARE ? n : SPARE;

		memcpy(out_need(o, part), from, part);
		o->len += part;
		from += part;
		n -= part;
	}
}

void out_fill(struct out *o, char c, size_t n)
{
	while (n) {
		size_t part = n < SPARE ? n : SPARE;

		memset(out_need(o, part), c, part);
		o->len += part;
		n -= part;
	}
}

/* ---- numbers ------------------------------------------------------------------------------ */

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
			    "25262728293031323334353637383940414243444546474849"
			    "50515253545556575859606162636465666768697071727374"
			    "75767778798081828384858687888990919293949596979899";
static const char hexdigit[] = "0123456789abcdef";

/* The digits of v end at `end`; returns where they start. */
static char *digits(char *end, uint64_t v)
{
	while (v >= 100) {
		end -= 2;
		memcpy(end, pairs + 2 * (v % 100), 2);
		v /= 100;
	}
	if (v >= 10) {
		end -= 2;
		memcpy(end, pairs + 2 * v, 2);
	} else {
		*--end = (char)('0' + v);
	}
	return end;
}

void out_u64(struct out *o, uint64_t v)
{
	char text[20], *at;

	if (v < 10) {
		out_char(o, (char)('0' + v));
		return;
	}
	at = digits(text + sizeof(text), v);
	out_bytes(o, at, (size_t)(text + sizeof(text) - at));
}

void out_s64(struct out *o, int64_t v)
{
	if (v < 0) {
		out_char(o, '-');
		out_u64(o, 0 - (uint64_t)v);
	} else {
		out_u64(o, (uint64_t)v);
	}
}

void out_digits(struct out *o, uint64_t v, unsigned int width)
{
	char text[40], *end = text + sizeof(text), *at = digits(end, v);

	if (width > sizeof(text))
		width = sizeof(text);
	while (end - at < (ptrdiff_t)width)
		*--at = '0';
	out_bytes(o, at, (size_t)(end - at));
}

void out_xdigits(struct out *o, uint64_t v, unsigned int width)
{
	char text[16], *end = text + sizeof(text), *at = end;

	do {
		*--at = hexdigit[v & 15];
		v >>= 4;
	} while (v);
	while (end - at < (ptrdiff_t)width && at > text)
		*--at = '0';
	out_bytes(o, at, (size_t)(end - at));
}

void out_hex(struct out *o, uint64_t v)
{
	out_bytes(o, "0x", 2);
	out_xdigits(o, v, 1);
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

void out_printf(struct out *o, const char *fmt, ...)
{
	char *to = out_need(o, 4096);
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(to, 4096, fmt, ap);
	va_end(ap);
	if (n > 0)
		o->len += n < 4096 ? (size_t)n : 4095;
}

void out_hexbytes(struct out *o, const void *p, size_t n)
{
	const unsigned char *from = p;

	for (; n; n--, from++) {
		char *to = out_need(o, 2);

		to[0] = hexdigit[*from >> 4];
		to[1] = hexdigit[*from & 15];
		o->len += 2;
	}
}

/* ---- text --------------------------------------------------------------------------------- */

/* The smallest and largest second byte after each lead byte (Unicode, table 3-7). */
static bool second_ok(unsigned char lead, unsigned char c)
{
	switch (lead) {
	case 0xe0:
		return c >= 0xa0 && c <= 0xbf;
	case 0xed:
		return c >= 0x80 && c <= 0x9f;
	case 0xf0:
		return c >= 0x90 && c <= 0xbf;
	case 0xf4:
		return c >= 0x80 && c <= 0x8f;
	default:
		return c >= 0x80 && c <= 0xbf;
	}
}

size_t out_utf8(const unsigned char *p, size_t n, size_t *bad)
{
	size_t want, i;

	*bad = 1;
	if (!n)
		return 0;
	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	want = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	for (i = 1; i < want; i++) {
		if (i >= n || (i == 1 ? !second_ok(p[0], p[1]) : (p[i] & 0xc0) != 0x80)) {
			*bad = i;
			return 0;
		}
	}
	return want;
}

/* How a byte below 0x80 is treated: 0 itself, 1 by its own escape, 2 as a number. */
static int ascii_class(unsigned char c)
{
	if (c == '\n' || c == '\t' || c == '\r' || c == '\\')
		return 1;
	return c < 0x20 || c == 0x7f ? 2 : 0;
}

/* Length of the run at p that needs no escape and is plain ASCII; `quote` counts as special. */
static size_t plain(const unsigned char *p, size_t n, char quote)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (p[i] < 0x20 || p[i] >= 0x7f || p[i] == '\\' || p[i] == (unsigned char)quote)
			break;
	return i;
}

static char short_escape(unsigned char c)
{
	return c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' : (char)c;
}

static void safe_byte(struct out *o, unsigned char c)
{
	out_bytes(o, "\\x", 2);
	out_xdigits(o, c, 2);
}

static void escaped(struct out *o, const void *text, size_t n, char quote)
{
	const unsigned char *p = text, *end = p + n;

	while (p < end) {
		size_t run = plain(p, (size_t)(end - p), quote), bad;

		out_bytes(o, p, run);
		p += run;
		if (p == end)
			break;
		run = out_utf8(p, (size_t)(end - p), &bad);
		if (run == 1 && (ascii_class(*p) == 1 || (quote && *p == (unsigned char)quote))) {
			out_char(o, '\\');
			out_char(o, short_escape(*p));
			p++;
		} else if (run > 1 && !(p[0] == 0xc2 && p[1] < 0xa0)) {
			out_bytes(o, p, run);
			p += run;
		} else {
			/* control, C1 (two bytes) or invalid: byte by byte */
			for (run = run > 1 ? run : bad; run; run--)
				safe_byte(o, *p++);
		}
	}
}

void out_safe(struct out *o, const void *text, size_t n)
{
	escaped(o, text, n, 0);
}

void out_quoted(struct out *o, const void *text, size_t n)
{
	out_char(o, '"');
	escaped(o, text, n, '"');
	out_char(o, '"');
}

static void json_ascii(struct out *o, unsigned char c)
{
	switch (c) {
	case '"':
	case '\\':
	case '\n':
	case '\t':
	case '\r':
		out_char(o, '\\');
		out_char(o, short_escape(c));
		break;
	default: /* a control character, or DEL which JSON takes as it is */
		if (c == 0x7f) {
			out_char(o, (char)c);
		} else {
			out_bytes(o, "\\u", 2);
			out_xdigits(o, c, 4);
		}
	}
}

void out_json(struct out *o, const void *text, size_t n)
{
	const unsigned char *p = text, *end = p + n;

	out_char(o, '"');
	while (p < end) {
		size_t run = plain(p, (size_t)(end - p), '"'), bad;

		out_bytes(o, p, run);
		p += run;
		if (p == end)
			break;
		run = out_utf8(p, (size_t)(end - p), &bad);
		if (run == 1) {
			json_ascii(o, *p++);
		} else if (run) {
			out_bytes(o, p, run);
			p += run;
		} else {
			out_bytes(o, "\xef\xbf\xbd", 3);
			p += bad;
		}
	}
	out_char(o, '"');
}

void out_csv(struct out *o, const void *text, size_t n)
{
	const char *p = text, *end = p + n, *quote;

	if (!memchr(p, '"', n) && !memchr(p, ',', n) && !memchr(p, '\n', n) &&
	    !memchr(p, '\r', n) && !(n && (p[0] == ' ' || end[-1] == ' '))) {
		out_bytes(o, p, n);
		return;
	}
	out_char(o, '"');
	while ((quote = memchr(p, '"', (size_t)(end - p)))) {
		out_bytes(o, p, (size_t)(quote + 1 - p));
		out_char(o, '"');
		p = quote + 1;
	}
	out_bytes(o, p, (size_t)(end - p));
	out_char(o, '"');
}
