/* SPDX-License-Identifier: MIT */
/* OBEX: objects that two devices exchange. Source: IrDA OBEX 1.5. */
#ifndef TRAWL_DECODE_USB_OBEX_H
#define TRAWL_DECODE_USB_OBEX_H

#include "decode/base/namefn.h"
#include "decode/base/valuetree.h"

/*
 * Whether an OBEX packet begins at p: a known code, a length that is that of the data or more, and
 * a known header behind.
 */
bool obex_fits(const uint8_t *p, size_t n);
/* Appends " what it says"; returns whether that covers all n bytes. */
bool obex_brief(const uint8_t *p, size_t n, struct out *o);
void obex_tree(const uint8_t *p, size_t n, struct tree *t);
bool obex_has_name(const char *name, size_t n);
/* As words() of a class. */
void obex_words(const char *member, decoder_name_fn *fn, void *arg);

#endif
