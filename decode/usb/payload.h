/* SPDX-License-Identifier: MIT */
/* Payload printed as bytes: in hex and as text, at the end of a line or below it. */
#ifndef TRAWL_DECODE_USB_PAYLOAD_H
#define TRAWL_DECODE_USB_PAYLOAD_H

#include "decode/base/output.h"

/*
 * Appends the first bytes, as in "  55 53 42 43 ...  |USBC|", to the unfinished line at the end of
 * the buffer. On a terminal with `columns` columns, as many bytes are shown as fit, at most 32 and
 * at least one; if fewer than 4 would fit, their text is omitted. With columns == 0, 16 bytes are
 * shown.
 */
void payload_brief(const uint8_t *p, size_t n, unsigned int columns, struct out *o);

/* Appends all bytes as lines of 16. text: also print them as characters. */
void payload_lines(const uint8_t *p, size_t n, bool text, struct out *o);

#endif
