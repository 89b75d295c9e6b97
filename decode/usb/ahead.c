/* SPDX-License-Identifier: MIT */
#include "decode/usb/ahead.h"
#include "common/array.h"
#include "decode/base/jdoc.h"
#include "decode/base/output.h"

#include <stdlib.h>

struct usb_ahead_entry {
	uint16_t bus;
	uint8_t address;
	size_t meta; /* index of the metadata entry */
};

void usbahead_free(struct usb_ahead *a)
{
	free(a->entries);
	memset(a, 0, sizeof(*a));
}

static void add(struct usb_ahead *a, const struct trawl_meta *m, size_t place)
{
	struct json_object *o = jdoc_parse(m->data, m->len);
	uint64_t bus = jdoc_uint(o, "busnum", 0), address = jdoc_uint(o, "devnum", 0);

	json_object_put(o);
	if (!bus || bus > UINT16_MAX || !address || address > 127)
		return;
	if (!array_grow(a->entries, a->n)) {
		out_lack_memory();
		return;
	}
	a->entries[a->n++] = (struct usb_ahead_entry){(uint16_t)bus, (uint8_t)address, place};
}

void usbahead_name(struct usb_ahead *a, const struct trawl_reader *r, size_t next,
		   struct usb_device *dev)
{
	size_t count = trawl_meta_count(r);

	for (; a->read < count; a->read++)
		if (usbdev_is_meta(trawl_meta_at(r, a->read)))
			add(a, trawl_meta_at(r, a->read), a->read);
	dev->later_searched = true;
	dev->later_with_descriptor = dev->known;
	for (size_t i = 0; i < a->n; i++) {
		const struct usb_ahead_entry *e = &a->entries[i];

		if (e->meta >= next && e->bus == dev->bus && e->address == dev->address) {
			const struct trawl_meta *m = trawl_meta_at(r, e->meta);

			usbdev_name_later(dev, m->data, m->len);
			return;
		}
	}
}
