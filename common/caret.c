/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/caret.h"

enum { SHOWN = 160 }; /* bytes of a text that are shown */

/* Whether this is a continuation byte of UTF-8. */
static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Returns the offset of the part that is shown, at the start of a character. */
static size_t first_shown(const char *text, size_t len, size_t at)
{
	size_t first = len > SHOWN && at > SHOWN / 2 ? at - SHOWN / 2 : 0;

	while (first < at && continues(text[first]))
		first++;
	return first;
}

int caret_fail(struct trawl_error *err, enum trawl_status status, const char *text, size_t at,
	       const char *message, ...)
{
	char said[sizeof(err->text)], shown[SHOWN + 1];
	size_t len = strlen(text), first, n, column = 0;
	va_list ap;

	va_start(ap, message);
	vsnprintf(said, sizeof(said), message, ap);
	va_end(ap);
	if (at > len)
		at = len;
	first = first_shown(text, len, at);
	n = len - first;
	if (n > SHOWN) {
		n = SHOWN;
		while (n && continues(text[first + n]))
			n--;
	}
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[first + i];

		shown[i] = (char)(iscntrl(c) && c < 0x80 ? '?' : c);
		column += i < at - first && !continues((char)c);
	}
	shown[n] = 0;
	return trawl_fail(err, status, "%s\n    %s\n    %*s^", said, shown, (int)column, "");
}
