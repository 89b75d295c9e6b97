/* SPDX-License-Identifier: MIT */
/* Payload that is shown as bytes: in hex and as text, at the end of a line or below it. */
#ifndef TRAWL_DECODE_USB_PAYLOAD_H
#define TRAWL_DECODE_USB_PAYLOAD_H

#include "decode/base/output.h"

/*
 * Appends the first bytes, "  55 53 42 43 ...  |USBC|", to the line that ends the buffer. A
 * terminal of `columns` columns gets as many bytes as fit it, at least 4 and at most 32; with
 * columns == 0 there are 16.
 */
void payload_brief(const uint8_t *p, size_t n, unsigned int columns, struct out *o);

/* Appends all bytes below a line, 16 in each; text: also as characters. */
void payload_lines(const uint8_t *p, size_t n, bool text, struct out *o);

#endif
