/* SPDX-License-Identifier: MIT */
#ifndef TRAWL_COMMON_UTF8_H
#define TRAWL_COMMON_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Whether c may be the second byte after this lead byte (Unicode, table 3-7). */
static inline bool utf8_second(unsigned char lead, unsigned char c)
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

/*
 * Returns the length (1 to 4) of the well-formed UTF-8 sequence at the start of n bytes at p, or 0
 * if there is none; *bad then is the length of the malformed sequence.
 */
static inline size_t utf8_length(const unsigned char *p, size_t n, size_t *bad)
{
	size_t want;

	*bad = 1;
	if (!n)
		return 0;
	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	want = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	for (size_t i = 1; i < want; i++) {
		if (i >= n || (i == 1 ? !utf8_second(p[0], p[1]) : (p[i] & 0xc0) != 0x80)) {
			*bad = i;
			return 0;
		}
	}
	return want;
}

/*
 * Whether a multi-byte character changes how others are displayed: C1 controls (U+0080 to U+009F),
 * line and paragraph separators (U+2028, U+2029), and bidirectional controls (U+202A to U+202E,
 * U+2066 to U+2069). run: its length.
 */
static inline bool utf8_control(const unsigned char *p, size_t run)
{
	if (run == 2)
		return p[0] == 0xc2 && p[1] < 0xa0;
	return run == 3 && p[0] == 0xe2 &&
	       ((p[1] == 0x80 && p[2] >= 0xa8 && p[2] <= 0xae) ||
		(p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9));
}

#endif
