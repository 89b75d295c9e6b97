/* SPDX-License-Identifier: MIT */
#include "decode/usb/payload.h"
#include "decode/base/number.h"

enum { FEW = 4, USUAL = 16, MANY = 32 };

static char printable(uint8_t c)
{
	return c >= 0x20 && c < 0x7f ? (char)c : '.';
}

/*
 * Number of terminal columns in the unfinished line at the end of the buffer, without colour codes.
 */
static size_t columns_used(const struct out *o)
{
	size_t at = o->len, used = 0;

	while (at && o->data[at - 1] != '\n')
		at--;
	for (; at < o->len; at++) {
		if (o->data[at] == '\033')
			while (at + 1 < o->len && o->data[at] != 'm')
				at++;
		else if (((uint8_t)o->data[at] & 0xc0) != 0x80)
			used++;
	}
	return used;
}

/*
 * With text, each byte takes four columns and the decoration ten. If too few bytes would fit, the
 * text is omitted: then each byte takes three columns and the decoration six.
 */
static size_t bytes_that_fit(unsigned int columns, const struct out *o, bool *text)
{
	size_t used, fit;

	*text = true;
	if (!columns)
		return USUAL;
	used = columns_used(o);
	fit = columns > used + 10 ? (columns - used - 10) / 4 : 0;
	if (fit >= FEW)
		return fit > MANY ? MANY : fit;
	*text = false;
	fit = columns > used + 6 ? (columns - used - 6) / 3 : 0;
	return fit ? fit : 1;
}

void payload_brief(const uint8_t *p, size_t n, unsigned int columns, struct out *o)
{
	bool text;
	size_t shown = bytes_that_fit(columns, o, &text);

	if (!n)
		return;
	if (shown > n)
		shown = n;
	out_char(o, ' ');
	for (size_t i = 0; i < shown; i++) {
		out_char(o, ' ');
		out_xdigits(o, p[i], 2);
	}
	if (shown < n)
		out_str(o, " ...");
	if (!text)
		return;
	out_str(o, "  |");
	for (size_t i = 0; i < shown; i++)
		out_char(o, printable(p[i]));
	out_char(o, '|');
}

static void line(const uint8_t *p, size_t at, size_t n, bool text, struct out *o)
{
	out_str(o, "\t0x");
	out_xdigits(o, at, at > 0xffff ? 8 : 4);
	out_str(o, ": ");
	for (size_t i = 0; i < 16; i++) {
		if (i % 2 == 0)
			out_char(o, ' ');
		if (i < n)
			out_xdigits(o, p[i], 2);
		else
			out_str(o, text ? "  " : "");
	}
	if (text)
		out_str(o, "  ");
	for (size_t i = 0; text && i < n; i++)
		out_char(o, printable(p[i]));
	out_char(o, '\n');
}

void payload_lines(const uint8_t *p, size_t n, bool text, struct out *o)
{
	for (size_t at = 0; at < n; at += 16)
		line(p + at, at, n - at < 16 ? n - at : 16, text, o);
}
