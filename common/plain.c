/* SPDX-License-Identifier: MIT */
#include "common/plain.h"

#include <stddef.h>
#include <string.h>

#include "common/utf8.h"

char *plain_text(char *text, bool lines)
{
	unsigned char *s = (unsigned char *)text;
	size_t bad, run;

	for (; *s; s += run ? run : bad) {
		run = utf8_length(s, strnlen((char *)s, 4), &bad);
		if (lines && (*s == '\n' || *s == '\t'))
			continue;
		if (*s < ' ' || *s == 127)
			*s = '?';
		else if (utf8_control(s, run))
			memset(s, '?', run);
	}
	return text;
}
