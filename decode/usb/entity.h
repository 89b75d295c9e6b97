/* SPDX-License-Identifier: MIT */
/* Units and terminals of audio and video interfaces, addressed by the ids in control requests. */
#ifndef TRAWL_DECODE_USB_ENTITY_H
#define TRAWL_DECODE_USB_ENTITY_H

#include "decode/usb/detail.h"

/*
 * Returns the descriptor of the entity that a control request to an interface addresses: the entity
 * id is the high byte of wIndex, the control interface the low byte. The interface is needed
 * because each function of a device numbers its entities separately. `class` is the class of the
 * control interface. p[2] is bDescriptorSubtype, p[3] the id; *n is the number of bytes, at least
 * 4. NULL: the descriptors do not contain the entity.
 */
const uint8_t *entity_descriptor(const struct usb_detail *d, uint8_t class, size_t *n);

#endif
