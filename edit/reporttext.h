/* SPDX-License-Identifier: MIT */
/* What the reporter says, in front of what the capture says. */
#ifndef TRAWL_EDIT_REPORTTEXT_H
#define TRAWL_EDIT_REPORTTEXT_H

#include "format/trawl.h"

/*
 * Puts the text of a file, whose first line is a title, into the page (as text, whatever is in it)
 * and in front of the summary, both files. 0, or -1 with *err.
 */
int reporttext_put(const char *text, const char *page, const char *summary,
		   struct trawl_error *err);

#endif
