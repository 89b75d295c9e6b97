/* SPDX-License-Identifier: MIT */
/*
 * Writes the parts of a page (html.h): the files of page/, which the build embeds, and data as
 * base64.
 */
#ifndef TRAWL_DECODE_EXPORT_PAGEPARTS_H
#define TRAWL_DECODE_EXPORT_PAGEPARTS_H

#include "decode/base/output.h"

/* Writes the start of the document, up to the data of the first picture. */
void page_begin(struct out *o, const char *title);
/*
 * Writes a piece of data under this id, compressed with zlib and encoded as base64. Returns false
 * if memory runs out or zlib is not available.
 */
bool page_piece(struct out *o, const char *id, const void *p, size_t n);
/* Writes the program, which draws the first picture while the browser reads what follows. */
void page_program(struct out *o);
/* Writes the end of the document. */
void page_end(struct out *o);
/* Whether pages can be written, which requires zlib. */
bool page_possible(void);

#endif
