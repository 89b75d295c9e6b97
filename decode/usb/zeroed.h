/* SPDX-License-Identifier: MIT */
/*
 * Data of transfers that trawl-edit redact may have replaced by zeros. Zeros of the device look the
 * same: they are marked only in a file from which redact removed bytes.
 */
#ifndef TRAWL_DECODE_USB_ZEROED_H
#define TRAWL_DECODE_USB_ZEROED_H

#include "decode/usb/detail.h"

/* Adds "zeroed", and which bytes if not all; nothing if no bytes may have been replaced. */
void zeroed_tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t);
/* Appends the same as text. */
void zeroed_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o);

#endif
