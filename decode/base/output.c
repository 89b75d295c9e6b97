/* SPDX-License-Identifier: MIT */
#include "decode/base/output.h"

#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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
	if (o->through && o->len && !o->error) {
		o->error = o->through(o->arg, o->data, o->len);
		done = o->error ? 0 : o->len;
	}
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

void out_le16(struct out *o, uint16_t v)
{
	v = htole16(v);
	out_bytes(o, &v, sizeof(v));
}

void out_le32(struct out *o, uint32_t v)
{
	v = htole32(v);
	out_bytes(o, &v, sizeof(v));
}

void out_le64(struct out *o, uint64_t v)
{
	v = htole64(v);
	out_bytes(o, &v, sizeof(v));
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

void out_count(struct out *o, uint64_t n, const char *thing)
{
	out_printf(o, "%llu %s%s", (unsigned long long)n, thing, n == 1 ? "" : "s");
}

/* ---- numbers ------------------------------------------------------------------------------ */

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
			    "25262728293031323334353637383940414243444546474849"
			    "50515253545556575859606162636465666768697071727374"
			    "75767778798081828384858687888990919293949596979899";
static const char hexdigit[] = "0123456789abcdef";

#define EIGHT_DIGITS 100000000u
#define ZEROS        0x3030303030303030ull

/*
 * The eight decimal digits of v, one a byte, the first in the lowest: halved three times, all parts
 * of a step at once (the multiplications divide by 100 and by 10, exactly for these sizes).
 */
static inline uint64_t eight_digits(uint32_t v)
{
	uint64_t high = v / 10000, x = high | (uint64_t)(v - (uint32_t)high * 10000) << 32, tens;

	tens = (x * 10486 >> 20) & 0x0000007f0000007full;
	x = tens | (x - tens * 100) << 16;
	tens = (x * 103 >> 10) & 0x000f000f000f000full;
	return tens | (x - tens * 10) << 8;
}

static inline void put_eight(char *p, uint64_t bytes)
{
	bytes = htole64(bytes);
	memcpy(p, &bytes, sizeof(bytes));
}

/* 0 < v < 10^8 without leading zeros; fills eight bytes. */
static inline char *put_short(char *p, uint32_t v)
{
	uint64_t digits = eight_digits(v);
	unsigned int zeros = (unsigned int)__builtin_ctzll(digits) / 8;

	put_eight(p, (digits | ZEROS) >> 8 * zeros);
	return p + 8 - zeros;
}

static inline char *put_whole(char *p, uint32_t v)
{
	put_eight(p, eight_digits(v) | ZEROS);
	return p + 8;
}

char *put_large(char *p, uint64_t v)
{
	uint64_t high;

	if (v < EIGHT_DIGITS)
		return put_short(p, (uint32_t)v);
	high = v / EIGHT_DIGITS;
	if (high < EIGHT_DIGITS) {
		p = put_short(p, (uint32_t)high);
	} else {
		p = put_short(p, (uint32_t)(high / EIGHT_DIGITS));
		p = put_whole(p, (uint32_t)(high % EIGHT_DIGITS));
	}
	return put_whole(p, (uint32_t)(v % EIGHT_DIGITS));
}

char *put_digits(char *p, uint64_t v, unsigned int width)
{
	char *end = p + width, *at = end;

	for (; at - p >= 8; v /= EIGHT_DIGITS) {
		at -= 8;
		put_whole(at, (uint32_t)(v % EIGHT_DIGITS));
	}
	while (at - p >= 2) {
		at -= 2;
		memcpy(at, pairs + 2 * (v % 100), 2);
		v /= 100;
	}
	if (at > p)
		*p = (char)('0' + v % 10);
	return end;
}

char *put_s64(char *p, int64_t v)
{
	if (v >= 0)
		return put_u64(p, (uint64_t)v);
	*p = '-';
	return put_u64(p + 1, 0 - (uint64_t)v);
}

/* The eight hex digits of v as text, the first in the lowest byte. */
static inline uint64_t eight_xdigits(uint32_t v)
{
	uint64_t x = v, letters;

	x = (x | x << 16) & 0x0000ffff0000ffffull;
	x = (x | x << 8) & 0x00ff00ff00ff00ffull;
	x = (x | x << 4) & 0x0f0f0f0f0f0f0f0full;
	letters = (x + 0x0606060606060606ull) >> 4 & 0x0101010101010101ull;
	return __builtin_bswap64(x + ZEROS + letters * ('a' - '9' - 1));
}

char *put_xdigits(char *p, uint64_t v, unsigned int width)
{
	unsigned int n = (unsigned int)(67 - __builtin_clzll(v | 1)) / 4;

	if (n < width)
		n = width > 16 ? 16 : width;
	if (n <= 8) {
		put_eight(p, eight_xdigits((uint32_t)v) >> 8 * (8 - n));
		return p + n;
	}
	put_eight(p, eight_xdigits((uint32_t)(v >> 32)) >> 8 * (16 - n));
	put_eight(p + n - 8, eight_xdigits((uint32_t)v));
	return p + n;
}

char *put_hex(char *p, uint64_t v)
{
	p[0] = '0';
	p[1] = 'x';
	return put_xdigits(p + 2, v, 1);
}

void out_u64(struct out *o, uint64_t v)
{
	out_used(o, put_u64(out_need(o, 20), v));
}

void out_s64(struct out *o, int64_t v)
{
	out_used(o, put_s64(out_need(o, 20), v));
}

void out_hex(struct out *o, uint64_t v)
{
	out_used(o, put_hex(out_need(o, 20), v));
}

void out_digits(struct out *o, uint64_t v, unsigned int width)
{
	char digits[20];
	size_t n = (size_t)(put_u64(digits, v) - digits);

	if (n < width)
		out_fill(o, '0', width - n);
	out_bytes(o, digits, n);
}

void out_xdigits(struct out *o, uint64_t v, unsigned int width)
{
	out_used(o, put_xdigits(out_need(o, 20), v, width));
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

static char short_escape(unsigned char c)
{
	return c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' : (char)c;
}

static char *put_byte(char *p, unsigned char c)
{
	p[0] = '\\';
	p[1] = 'x';
	p[2] = hexdigit[c >> 4];
	p[3] = hexdigit[c & 15];
	return p + 4;
}

/* One character that is not plain: its escape, or the character if it is good UTF-8. */
static char *put_special(char *to, const unsigned char **p, size_t n, char quote)
{
	size_t bad, run = out_utf8(*p, n, &bad);
	unsigned char c = **p;

	if (run == 1 && (ascii_class(c) == 1 || (quote && c == (unsigned char)quote))) {
		to[0] = '\\';
		to[1] = short_escape(c);
		(*p)++;
		return to + 2;
	}
	if (run > 1 && !(c == 0xc2 && (*p)[1] < 0xa0)) {
		memcpy(to, *p, run);
		*p += run;
		return to + run;
	}
	/* control, C1 (two bytes) or invalid: byte by byte */
	for (run = run > 1 ? run : bad; run; run--)
		to = put_byte(to, *(*p)++);
	return to;
}

#ifdef __SSE2__
/* How many of the 16 bytes at p are plain; all are copied. Signed, so that 0x80.. are < 0x20. */
static inline unsigned int copy_plain(char *to, const void *p, char quote)
{
	__m128i v = _mm_loadu_si128(p), special;

	special = _mm_or_si128(_mm_cmplt_epi8(v, _mm_set1_epi8(0x20)),
			       _mm_cmpeq_epi8(v, _mm_set1_epi8(0x7f)));
	special = _mm_or_si128(special, _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
	special = _mm_or_si128(special, _mm_cmpeq_epi8(v, _mm_set1_epi8(quote)));
	_mm_storeu_si128((__m128i *)to, v);
	return (unsigned int)__builtin_ctz((unsigned int)_mm_movemask_epi8(special) | 0x10000);
}
#else
static inline unsigned int copy_plain(char *to, const void *p, char quote)
{
	const unsigned char *c = p;
	unsigned int n = 0;

	for (; n < 16 && c[n] >= 0x20 && c[n] < 0x7f && c[n] != '\\' &&
	       c[n] != (unsigned char)quote; n++)
		to[n] = (char)c[n];
	return n;
}
#endif

char *put_safe(char *to, const void *text, size_t n, char quote)
{
	const unsigned char *p = text, *end = p + n;
	unsigned int run;

	while (end - p >= 16) {
		run = copy_plain(to, p, quote);
		to += run;
		p += run;
		if (run < 16)
			to = put_special(to, &p, (size_t)(end - p), quote);
	}
	while (p < end) {
		if (*p >= 0x20 && *p < 0x7f && *p != '\\' && *p != (unsigned char)quote)
			*to++ = (char)*p++;
		else
			to = put_special(to, &p, (size_t)(end - p), quote);
	}
	return to;
}

/* How much of a long text to do at once: a piece never ends inside a character. */
static size_t piece(const unsigned char *p, size_t n, size_t most)
{
	size_t part = n < most ? n : most;

	while (part < n && part > most - 4 && (p[part] & 0xc0) == 0x80)
		part--;
	return part;
}

static void escaped(struct out *o, const void *text, size_t n, char quote)
{
	const unsigned char *p = text;

	while (n) {
		size_t part = piece(p, n, SPARE / 4 - 4);

		out_used(o, put_safe(out_need(o, 4 * part + 16), p, part, quote));
		p += part;
		n -= part;
	}
}

void out_safe(struct out *o, const void *text, size_t n)
{
	escaped(o, text, n, 0);
}

/* Is what stands here, behind the end of a line, indented or a caller? */
static bool goes_on(const char *p, const char *end)
{
	return p < end && (*p == ' ' || *p == '\t' || (end - p >= 3 && !memcmp(p, "=> ", 3)));
}

void out_lines(struct out *o, const void *text, size_t n)
{
	const char *p = text, *end = p + n;

	for (const char *at = p; at < end; at++) {
		if (*at != '\t' && (*at != '\n' || !goes_on(at + 1, end)))
			continue;
		out_safe(o, p, (size_t)(at - p));
		out_char(o, *at);
		p = at + 1;
	}
	out_safe(o, p, (size_t)(end - p));
}

void out_quoted(struct out *o, const void *text, size_t n)
{
	out_char(o, '"');
	escaped(o, text, n, '"');
	out_char(o, '"');
}

/* A character below U+0100 as JSON's escape of it. */
static char *put_json_number(char *to, unsigned char c)
{
	memcpy(to, "\\u00", 4);
	to[4] = hexdigit[c >> 4];
	to[5] = hexdigit[c & 15];
	return to + 6;
}

static char *put_json_ascii(char *to, unsigned char c)
{
	if (ascii_class(c) == 2)
		return put_json_number(to, c);
	*to++ = '\\';
	*to++ = short_escape(c);
	return to;
}

/* U+0080 to U+009F, which a terminal may obey. */
static bool is_c1(const unsigned char *p, size_t run)
{
	return run == 2 && p[0] == 0xc2 && p[1] < 0xa0;
}

/* One character that is not plain. */
static char *put_json_special(char *to, const unsigned char **p, size_t n)
{
	size_t bad, run = out_utf8(*p, n, &bad);

	if (run == 1)
		return put_json_ascii(to, *(*p)++);
	if (is_c1(*p, run)) {
		*p += run;
		return put_json_number(to, (*p)[-1]);
	}
	if (run) {
		memcpy(to, *p, run);
		*p += run;
		return to + run;
	}
	memcpy(to, "\xef\xbf\xbd", 3);
	*p += bad;
	return to + 3;
}

/* The inside of a JSON string. */
static char *put_json_text(char *to, const void *text, size_t n)
{
	const unsigned char *p = text, *end = p + n;
	unsigned int run;

	while (end - p >= 16) {
		run = copy_plain(to, p, '"');
		to += run;
		p += run;
		if (run < 16)
			to = put_json_special(to, &p, (size_t)(end - p));
	}
	while (p < end) {
		if (*p >= 0x20 && *p < 0x7f && *p != '\\' && *p != '"')
			*to++ = (char)*p++;
		else
			to = put_json_special(to, &p, (size_t)(end - p));
	}
	return to;
}

char *put_json(char *p, const void *text, size_t n)
{
	*p++ = '"';
	p = put_json_text(p, text, n);
	*p++ = '"';
	return p;
}

void out_json(struct out *o, const void *text, size_t n)
{
	const unsigned char *p = text;

	out_char(o, '"');
	while (n) {
		size_t part = piece(p, n, SPARE / 6 - 4);

		out_used(o, put_json_text(out_need(o, 6 * part + 16), p, part));
		p += part;
		n -= part;
	}
	out_char(o, '"');
}

/* What stands for a control character where nothing can be escaped: its picture, U+2400 on. */
static void picture(struct out *o, unsigned char c)
{
	const unsigned char text[] = {0xe2, 0x90, 0x80 | (c == 0x7f ? 0x21 : c)};

	out_bytes(o, text, sizeof(text));
}

void out_visible(struct out *o, const void *text, size_t n)
{
	const unsigned char *p = text, *from = p, *end = p + n;

	while (p < end) {
		size_t bad, run = out_utf8(p, (size_t)(end - p), &bad);
		bool alone = *p == '\r' && (p + 1 == end || p[1] != '\n');
		bool control = run == 1 && (ascii_class(*p) == 2 || alone);

		if (!run || control || is_c1(p, run)) {
			out_bytes(o, from, (size_t)(p - from));
			if (control)
				picture(o, *p);
			else
				out_str(o, "\xef\xbf\xbd");
			from = p + (run ? run : bad);
		}
		p += run ? run : bad;
	}
	out_bytes(o, from, (size_t)(end - from));
}

void out_csv(struct out *o, const void *text, size_t n)
{
	const char *p = text, *end = p + n, *quote;

	if (n && !memchr(p, '"', n) && !memchr(p, ',', n) && !memchr(p, '\n', n) &&
	    !memchr(p, '\r', n) && p[0] != ' ' && end[-1] != ' ') {
		out_visible(o, p, n);
		return;
	}
	out_char(o, '"');
	while ((quote = memchr(p, '"', (size_t)(end - p)))) {
		out_visible(o, p, (size_t)(quote + 1 - p));
		out_char(o, '"');
		p = quote + 1;
	}
	out_visible(o, p, (size_t)(end - p));
	out_char(o, '"');
}
