/* SPDX-License-Identifier: MIT */
/*
 * An error at a place of a text that the user or the kernel wrote:
 *
 *	MESSAGE
 *	    TEXT
 *	      ^
 */
#ifndef TRAWL_COMMON_CARET_H
#define TRAWL_COMMON_CARET_H

#include <stddef.h>

#include "format/trawl.h"

/*
 * Fills *err with the message and the text with a caret below byte `at`; returns -1. A long text is
 * cut to the part around the caret; control characters are shown as '?'; a UTF-8 character counts
 * as one column.
 */
int caret_fail(struct trawl_error *err, enum trawl_status status, const char *text, size_t at,
	       const char *message, ...) __attribute__((format(printf, 5, 6)));

#endif
