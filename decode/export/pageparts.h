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

/*
 * Text of a page that grows while the capture is read. page_text_pack() compresses the contents of
 * `text` and empties it, so that memory holds only compressed text.
 */
struct page_text {
	struct out text;    /* appended to by the owner */
	struct out packed;  /* a zlib stream without its end; empty if nothing was packed yet */
	uint32_t check;     /* Adler-32 of what was packed */
};

void page_text_init(struct page_text *t);
void page_text_free(struct page_text *t);
/* Returns false if memory runs out or zlib is not available; the text is then incomplete. */
bool page_text_pack(struct page_text *t);
/* Writes all of the text as page_piece() does. */
bool page_text_write(struct out *o, const char *id, struct page_text *t);
/* Writes the program, which draws the first picture while the browser reads what follows. */
void page_program(struct out *o);
/* Writes the end of the document. */
void page_end(struct out *o);
/* Whether pages can be written, which requires zlib. */
bool page_possible(void);

#endif
