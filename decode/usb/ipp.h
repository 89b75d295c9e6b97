/* SPDX-License-Identifier: MIT */
/*
 * HTTP and IPP, as printers speak them over USB. Sources: IPP over USB 1.0, RFC 9112 (HTTP/1.1),
 * RFC 8010 and RFC 8011 (IPP).
 */
#ifndef TRAWL_DECODE_USB_IPP_H
#define TRAWL_DECODE_USB_IPP_H

#include "decode/base/valuetree.h"

/* The length of the request or status line that begins at p, without its end; 0: none does. */
size_t http_line(const uint8_t *p, size_t n);

/*
 * The IPP message in n bytes, which may begin with a header of HTTP and the size of a chunk;
 * *left is the number of bytes of it that are there. NULL: there is none, or not its beginning.
 */
const uint8_t *ipp_message(const uint8_t *p, size_t n, size_t *left);

/* Appends an object "ipp". An answer has a status where a request has an operation. */
void ipp_tree(const uint8_t *p, size_t n, bool answer, struct tree *t);

/* Appends " IPP Get-Jobs request 7". */
void ipp_brief(const uint8_t *p, size_t n, bool answer, struct out *o);

/* Names of members of the object, ended by NULL. */
extern const char *const ipp_names[];

#endif
