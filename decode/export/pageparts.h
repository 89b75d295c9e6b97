/* SPDX-License-Identifier: MIT */
/* The pieces of a page (html.h), as files of page/ that the build embeds, and as base64. */
#ifndef TRAWL_DECODE_EXPORT_PAGEPARTS_H
#define TRAWL_DECODE_EXPORT_PAGEPARTS_H

#include "decode/base/output.h"

/* The document's beginning, up to the pieces of data, with this title. */
void page_begin(struct out *o, const char *title);
/*
 * A piece of data under this name: compressed with zlib, as base64. False: no memory, or built
 * without zlib.
 */
bool page_piece(struct out *o, const char *id, const void *p, size_t n);
/* The program, and the document's end. */
void page_end(struct out *o);
/* Can pages be written? */
bool page_possible(void);

#endif
