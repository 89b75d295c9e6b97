/* SPDX-License-Identifier: MIT */
/* Texts of others, made safe for a terminal, JSON or CSV. */
#ifndef TRAWL_DECODE_BASE_ESCAPE_H
#define TRAWL_DECODE_BASE_ESCAPE_H

#include "decode/base/output.h"

/*
 * Control characters are C0, DEL, C1, what ends a line or paragraph (U+2028, U+2029) and what turns
 * the direction of a line (U+202A to U+202E, U+2066 to U+2069).
 */

/*
 * Foreign text for people: valid UTF-8 goes through, control characters and invalid bytes become
 * \n, \t, \r, \xNN; a backslash is doubled. Safe on a terminal.
 */
void out_safe(struct out *o, const void *text, size_t n);

/*
 * The same of a text of several lines, as the kernel prints stack traces: a tab stays, and an end
 * of line where a blank, a tab or "=> " follows. No other line begins so, thus none is forged.
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
 * A document as it is, but for what a terminal obeys: control characters other than tab and end of
 * line (LF, or CR LF) become their pictures (U+2400 on), each that has none and each sequence of
 * invalid UTF-8 one U+FFFD.
 */
void out_visible(struct out *o, const void *text, size_t n);

/*
 * A CSV cell: quoted by RFC 4180 where needed, and when it is empty: nothing is no value. Its
 * text is as by out_visible().
 */
void out_csv(struct out *o, const void *text, size_t n);

/* Text as by out_safe(): fills at most 4 * n + 16 bytes. */
char *put_safe(char *p, const void *text, size_t n, char quote);
/* A JSON string as by out_json(): fills at most 6 * n + 18 bytes. */
char *put_json(char *p, const void *text, size_t n);

#endif
