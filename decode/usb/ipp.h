/* SPDX-License-Identifier: MIT */
/*
 * HTTP and IPP over USB, as used by printers. Sources: IPP over USB 1.0, RFC 9112 (HTTP/1.1), RFC
 * 8010 and RFC 8011 (IPP).
 */
#ifndef TRAWL_DECODE_USB_IPP_H
#define TRAWL_DECODE_USB_IPP_H

#include "decode/base/namefn.h"
#include "decode/base/valuetree.h"

/*
 * Returns the length of the request or status line at p, without its line end; 0 if there is none.
 */
size_t http_line(const uint8_t *p, size_t n);

/*
 * Returns the IPP message in the n bytes at p, which may begin with an HTTP header and a chunk
 * size; *left is the number of its bytes present. NULL: there is none, or it lacks its first bytes.
 */
const uint8_t *ipp_message(const uint8_t *p, size_t n, size_t *left);

/* Appends an object "ipp". An answer has a status in the place of the request's operation. */
void ipp_tree(const uint8_t *p, size_t n, bool answer, struct tree *t);

/* Appends " IPP Get-Jobs request 7". */
void ipp_brief(const uint8_t *p, size_t n, bool answer, struct out *o);

/* Names of members of the object, ended by NULL. */
extern const char *const ipp_names[];
/* As words() of a class. */
void ipp_words(const char *member, decoder_name_fn *fn, void *arg);

#endif
