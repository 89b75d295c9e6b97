/* SPDX-License-Identifier: MIT */
/*
 * Data of transfers that trawl-edit redact may have replaced by zeros. Zeros sent by the device
 * look the same, so they are marked only in files from which redact removed bytes.
 */
#ifndef TRAWL_DECODE_USB_ZEROED_H
#define TRAWL_DECODE_USB_ZEROED_H

#include "decode/usb/detail.h"

/*
 * Appends "zeroed", and the range of bytes unless it is the whole data; appends nothing if no bytes
 * can have been replaced.
 */
void zeroed_tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t);
/* Appends the same as a phrase. */
void zeroed_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o);

#endif
