/* SPDX-License-Identifier: MIT */
/*
 * Which interface a HID report descriptor belongs to.
 *
 * wIndex of GET_DESCRIPTOR is the number of the interface on the bus. But USBPcap before 1.4.1
 * records the request as Windows' class driver fills it in, with interface 0 for every interface of
 * the device: the report descriptor of a mouse would replace the keyboard's. The interface's HID
 * descriptor has the length of its report descriptor, which tells them apart.
 */
#include "decode/usb/device.h"

static bool holds(const struct usb_interface *f, const uint8_t *p, size_t n)
{
	return f->report && f->report_len == n && !memcmp(f->report, p, n);
}

/* Whether these bytes can be the interface's report descriptor, and it has no other so far. */
static bool takes(const struct usb_interface *f, const uint8_t *p, size_t n)
{
	return f->class == 0x03 && f->report_described == n && (!f->report || holds(f, p, n));
}

struct usb_interface *usbdev_report_owner(struct usb_device *dev, const struct control_request *s,
					  const uint8_t *p, size_t n)
{
	struct usb_interface *asked = usbdev_interface_number(dev, (uint8_t)s->index);
	struct usb_interface *found = NULL;
	unsigned int count = 0;

	if (asked && takes(asked, p, n))
		return asked;
	for (unsigned int i = 0; i < dev->ninterfaces; i++) {
		struct usb_interface *f = &dev->interfaces[i];

		if (!takes(f, p, n))
			continue;
		if (holds(f, p, n))
			return f;
		found = f;
		count++;
	}
	if (count == 1)
		return found;
	/*
	 * No interface has a descriptor of this length: it was read in part, or the lengths are
	 * unknown. Several have: unknown.
	 */
	return !count && asked && asked->class == 0x03 ? asked : NULL;
}
