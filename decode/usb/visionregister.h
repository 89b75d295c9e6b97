/* SPDX-License-Identifier: MIT */
/*
 * The bootstrap registers of USB3 Vision cameras. Sources: GenICam GenCP 1.3 (ABRM), USB3 Vision
 * 1.1 (SBRM, SIRM, EIRM).
 */
#ifndef TRAWL_DECODE_USB_VISIONREGISTER_H
#define TRAWL_DECODE_USB_VISIONREGISTER_H

#include "decode/usb/device.h"

struct vision_register {
	uint16_t offset;      /* in its map */
	uint8_t size;         /* bytes; TEXT_REGISTER: a text that ends at its first NUL */
	const char *name;
};

#define TEXT_REGISTER 64

/*
 * The register that begins at an address, or NULL. All maps but the first lie where the camera
 * says, which v has from earlier answers.
 */
const struct vision_register *vision_register(const struct usb_vision *v, uint64_t address);

/* Learns where the maps are from n bytes at p that the camera has at an address. */
void vision_learn(struct usb_vision *v, uint64_t address, const uint8_t *p, size_t n);

#endif
