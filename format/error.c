/* SPDX-License-Identifier: MIT */
/* An error's text, one line, and the exit status that it stands for. */
#include <stdarg.h>
#include <stdio.h>

#include "format/memory.h"
#include "format/trawl.h"

/*
 * Messages quote files of strangers, and all of them are made here. What a terminal would obey
 * becomes '?'; of ends of lines those stay that messages have, with a blank or tab after them.
 */
static void make_harmless(unsigned char *p)
{
	for (; *p; p++) {
		bool c1 = p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0;

		if (*p == '\n' ? p[1] != ' ' && p[1] != '\t'
			       : (*p < 0x20 && *p != '\t') || *p == 0x7f || c1)
			*p = '?';
		if (c1)
			p[1] = '?';
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
	};

	if (reason < ARRAY_SIZE(names) && names[reason])
		return names[reason];
	return "unknown";
}
