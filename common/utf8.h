/* SPDX-License-Identifier: MIT */
#ifndef TRAWL_COMMON_UTF8_H
#define TRAWL_COMMON_UTF8_H

#include <stddef.h>

/* Returns the length (1 to 4) of the well-formed UTF-8 sequence at s, of n > 0 bytes; 0: none. */
static inline size_t utf8_length(const unsigned char *s, size_t n)
{
	size_t want = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 :
		      s[0] < 0xf5 ? 4 : 0;

	if (!want || want > n)
		return 0;
	for (size_t i = 1; i < want; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return want;
}

#endif
