/* SPDX-License-Identifier: MIT */
/* Errors: a line of text and an exit status. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "format/memory.h"
#include "format/trawl.h"

/*
 * Returns the length of the control character at p, or 0 if it is none: C0 and DEL, C1 in UTF-8,
 * line and paragraph separators, bidirectional controls (U+2028 to U+202E, U+2066 to U+2069).
 */
static size_t control_length(const unsigned char *p)
{
	if (*p < 0x20 || *p == 0x7f)
		return 1;
	if (p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
		return 2;
	if (p[0] == 0xe2 && ((p[1] == 0x80 && p[2] >= 0xa8 && p[2] <= 0xae) ||
			     (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9)))
		return 3;
	return 0;
}

/*
 * Messages may quote text of untrusted files. Replaces control characters by '?', except a tab, and
 * a newline with a blank or tab after it, as the messages themselves have.
 */
static void make_harmless(unsigned char *p)
{
	size_t n;

	for (; *p; p += n ? n : 1) {
		n = control_length(p);
		if (*p == '\t' || (*p == '\n' && (p[1] == ' ' || p[1] == '\t')))
			continue;
		memset(p, '?', n);
	}
}

int trawl_fail(struct trawl_error *err, enum trawl_status status, const char *fmt, ...)
{
	va_list ap;

	err->status = status;
	err->sys = 0;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	make_harmless((unsigned char *)err->text);
	return -1;
}

const char *trawl_loss_reason_name(uint32_t reason)
{
	static const char *const names[] = {
		[TRAWL_LOSS_OVERRUN] = "overrun", [TRAWL_LOSS_DROPPED] = "dropped",
		[TRAWL_LOSS_COMMIT] = "commit overrun", [TRAWL_LOSS_MISSED] = "missed",
		[TRAWL_LOSS_WRITE] = "write error", [TRAWL_LOSS_MAP] = "map full",
		[TRAWL_LOSS_FILTER] = "filtered", [TRAWL_LOSS_EMPTIED] = "buffer emptied",
		[TRAWL_LOSS_UNPAIRED] = "unpaired",
		[TRAWL_LOSS_TOO_LONG] = "strings too long for the kernel",
		[TRAWL_LOSS_OVERRUN_MOST] = "overrun, at most",
		[TRAWL_LOSS_DAMAGED] = "file damaged",
	};

	if (reason < ARRAY_SIZE(names) && names[reason])
		return names[reason];
	return "unknown";
}
