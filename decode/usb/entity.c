/* SPDX-License-Identifier: MIT */
#include "decode/usb/descriptor.h"
#include "decode/usb/entity.h"

enum { SUBCLASS_CONTROL = 1, SUBTYPE_HEADER = 1 };

static const uint8_t *find(const struct usb_config *c, uint8_t class, uint16_t index, size_t *n)
{
	struct descriptor_walk w = descriptor_walk(c->p, c->len);
	bool control = false;
	struct descriptor d;

	while (descriptor_next(&w, &d)) {
		if (d.type == DESC_INTERFACE && d.room >= 7)
			control = d.p[2] == (uint8_t)index && d.p[5] == class &&
				  d.p[6] == SUBCLASS_CONTROL;
		else if (control && d.type == DESC_CS_INTERFACE && d.room >= 4 &&
			 d.p[3] == index >> 8 && d.p[2] != SUBTYPE_HEADER) {
			*n = d.room;
			return d.p;
		}
	}
	return NULL;
}

const uint8_t *entity_descriptor(const struct usb_detail *d, uint8_t class, size_t *n)
{
	const uint8_t *p = NULL;

	for (unsigned int i = 0; d->device && i < USBDEV_CONFIGS && !p; i++)
		if (d->device->configs[i].p)
			p = find(&d->device->configs[i], class, d->setup.index, n);
	return p;
}
