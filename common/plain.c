/* SPDX-License-Identifier: MIT */
#include "common/plain.h"

#include <stddef.h>

char *plain_text(char *text, bool lines)
{
	unsigned char *s = (unsigned char *)text;

	for (; *s; s++) {
		if (lines && (*s == '\n' || *s == '\t'))
			continue;
		if (*s < ' ' || *s == 127)
			*s = '?';
		else if (*s == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0)
			*s = s[1] = '?'; /* U+0080 to U+009f: CSI is one of them */
	}
	return text;
}
