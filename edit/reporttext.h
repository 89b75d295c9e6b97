/* SPDX-License-Identifier: MIT */
/* Puts the reporter's description into the report. */
#ifndef TRAWL_EDIT_REPORTTEXT_H
#define TRAWL_EDIT_REPORTTEXT_H

#include "format/trawl.h"

/*
 * Inserts the text of the file `text`, whose first line is a title, into the HTML file `page`,
 * escaped, and before the text file `summary`. Returns 0, or -1 with *err.
 */
int reporttext_put(const char *text, const char *page, const char *summary,
		   struct trawl_error *err);

#endif
