/* SPDX-License-Identifier: MIT */
/* Units and terminals of audio and video interfaces, by the numbers that requests name. */
#ifndef TRAWL_DECODE_USB_ENTITY_H
#define TRAWL_DECODE_USB_ENTITY_H

#include "decode/usb/detail.h"

/*
 * The descriptor of the entity that a control request is about (the high byte of wIndex), in a
 * control interface of this class: p[2] is its subtype, p[3] its number; *n bytes are there, at
 * least 4. NULL: the descriptors do not tell of it.
 */
const uint8_t *entity_descriptor(const struct usb_detail *d, uint8_t class, size_t *n);

#endif
