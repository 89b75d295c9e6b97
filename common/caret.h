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
 * The message and the text with a caret under byte `at`, in *err. A long text is cut to what is
 * around the place; control characters are shown as '?'; a character of UTF-8 is one column.
 * Returns -1.
 */
int caret_fail(struct trawl_error *err, enum trawl_status status, const char *text, size_t at,
	       const char *message, ...) __attribute__((format(printf, 5, 6)));

#endif
