/* SPDX-License-Identifier: MIT */
#include "decode/base/escape.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "common/utf8.h"

static const char hexdigit[] = "0123456789abcdef";

/* Returns how a byte below 0x80 is written: 0: itself, 1: as its own escape (\n), 2: as \xNN. */
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

/* Writes a character that is not plain ASCII: itself if it is valid UTF-8, else escaped. */
static char *put_special(char *to, const unsigned char **p, size_t n, char quote)
{
	size_t bad, run = utf8_length(*p, n, &bad);
	unsigned char c = **p;

	if (run == 1 && (ascii_class(c) == 1 || (quote && c == (unsigned char)quote))) {
		to[0] = '\\';
		to[1] = short_escape(c);
		(*p)++;
		return to + 2;
	}
	if (run > 1 && !utf8_control(*p, run)) {
		memcpy(to, *p, run);
		*p += run;
		return to + run;
	}
	/* control or invalid: byte by byte */
	for (run = run > 1 ? run : bad; run; run--)
		to = put_byte(to, *(*p)++);
	return to;
}

#ifdef __SSE2__
/*
 * Copies 16 bytes and returns how many of them are plain. Compares signed: 0x80 and up are < 0x20.
 */
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

/* Returns the length of the next piece of a long text; it does not end inside a character. */
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
		size_t part = piece(p, n, OUT_NEED / 4 - 4);

		out_used(o, put_safe(out_need(o, 4 * part + 16), p, part, quote));
		p += part;
		n -= part;
	}
}

void out_safe(struct out *o, const void *text, size_t n)
{
	escaped(o, text, n, 0);
}

/* Whether the line at p is indented, or a caller in a stack trace. */
static bool continues_item(const char *p, const char *end)
{
	return p < end && (*p == ' ' || *p == '\t' || (end - p >= 3 && !memcmp(p, "=> ", 3)));
}

void out_lines(struct out *o, const void *text, size_t n)
{
	const char *p = text, *end = p + n;

	for (const char *at = p; at < end; at++) {
		if (*at != '\t' && (*at != '\n' || !continues_item(at + 1, end)))
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

/* Writes a character below U+10000 as JSON's \uNNNN. */
static char *put_json_number(char *to, unsigned int c)
{
	to[0] = '\\';
	to[1] = 'u';
	to[2] = hexdigit[c >> 12];
	to[3] = hexdigit[c >> 8 & 15];
	to[4] = hexdigit[c >> 4 & 15];
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

/* Writes a character that is not plain ASCII. */
static char *put_json_special(char *to, const unsigned char **p, size_t n)
{
	size_t bad, run = utf8_length(*p, n, &bad);

	if (run == 1)
		return put_json_ascii(to, *(*p)++);
	if (utf8_control(*p, run)) {
		unsigned int c = run == 2 ? 0 : 0x2000u | ((*p)[1] & 63u) << 6;

		c |= (*p)[run - 1] & (run == 2 ? 255u : 63u);
		*p += run;
		return put_json_number(to, c);
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

/* Writes a JSON string without its quotes. */
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
		size_t part = piece(p, n, OUT_NEED / 6 - 4);

		out_used(o, put_json_text(out_need(o, 6 * part + 16), p, part));
		p += part;
		n -= part;
	}
	out_char(o, '"');
}

/* Writes the picture of a control character, U+2400 on. */
static void picture(struct out *o, unsigned char c)
{
	const unsigned char text[] = {0xe2, 0x90, 0x80 | (c == 0x7f ? 0x21 : c)};

	out_bytes(o, text, sizeof(text));
}

void out_visible(struct out *o, const void *text, size_t n)
{
	const unsigned char *p = text, *from = p, *end = p + n;

	while (p < end) {
		size_t bad, run = utf8_length(p, (size_t)(end - p), &bad);
		bool alone = *p == '\r' && (p + 1 == end || p[1] != '\n');
		bool control = run == 1 && (ascii_class(*p) == 2 || alone);

		if (!run || control || utf8_control(p, run)) {
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
