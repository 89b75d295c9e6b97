/* SPDX-License-Identifier: MIT */
/*
 * The bootstrap registers of USB3 Vision cameras. Sources: GenICam GenCP 1.3 (ABRM), USB3 Vision
 * 1.1 (SBRM, SIRM, EIRM).
 */
#ifndef TRAWL_DECODE_USB_VISIONREGISTER_H
#define TRAWL_DECODE_USB_VISIONREGISTER_H

#include "decode/usb/device.h"

struct vision_register {
	uint16_t offset;      /* offset in its register map */
	uint8_t size;         /* in bytes; TEXT_REGISTER: a string that ends at its first NUL */
	const char *name;
};

#define TEXT_REGISTER 64

/*
 * Returns the register at an address, or NULL. Only the first map has a fixed address; those of the
 * others were read from the camera before and are in v.
 */
const struct vision_register *vision_register(const struct usb_vision *v, uint64_t address);

/* Updates the map addresses in v from n bytes that were read at `address`. */
void vision_learn(struct usb_vision *v, uint64_t address, const uint8_t *p, size_t n);

#endif
