/* SPDX-License-Identifier: MIT */
/* Escapes untrusted text for a terminal, JSON or CSV. */
#ifndef TRAWL_DECODE_BASE_ESCAPE_H
#define TRAWL_DECODE_BASE_ESCAPE_H

#include "decode/base/output.h"

/*
 * Control characters are here: C0, DEL, C1, line and paragraph separators (U+2028, U+2029), and
 * bidirectional controls (U+202A to U+202E, U+2066 to U+2069).
 */

/*
 * Appends text for a terminal. Control characters and invalid UTF-8 become \n, \t, \r, \xNN; a
 * backslash is doubled; other UTF-8 is unchanged.
 */
void out_safe(struct out *o, const void *text, size_t n);

/*
 * The same for a text of several lines, such as the kernel's stack traces: keeps tabs, and newlines
 * that are followed by a blank, a tab or "=> ". No line of an event begins so, so none can be
 * forged.
 */
void out_lines(struct out *o, const void *text, size_t n);

/* The same between double quotes, with \" for a quote. */
void out_quoted(struct out *o, const void *text, size_t n);

/*
 * A JSON string with its quotes: control characters are escaped, each invalid UTF-8 sequence
 * becomes one U+FFFD.
 */
void out_json(struct out *o, const void *text, size_t n);

/*
 * Appends a document without escapes: control characters other than tab and line ends (LF, CR LF)
 * become their pictures (U+2400 on); those without a picture, and each sequence of invalid UTF-8,
 * become U+FFFD.
 */
void out_visible(struct out *o, const void *text, size_t n);

/*
 * Appends a CSV cell with the text of out_visible(), quoted by RFC 4180 where needed. An empty text
 * is quoted, too, because an empty cell means no value.
 */
void out_csv(struct out *o, const void *text, size_t n);

/*
 * As out_safe(), to p, which has room for 4 * n + 16 bytes. quote: also escaped; 0: none. Returns
 * the end.
 */
char *put_safe(char *p, const void *text, size_t n, char quote);
/* As out_json(), to p, which has room for 6 * n + 18 bytes. Returns the end. */
char *put_json(char *p, const void *text, size_t n);

#endif
