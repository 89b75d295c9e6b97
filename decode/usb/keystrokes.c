/* SPDX-License-Identifier: MIT */
#include "decode/usb/keystrokes.h"

#include <string.h>

static const char by_descriptor[] = "report descriptor";
static const char by_protocol[] = "boot protocol";
const char keystrokes_by_form[] = "form of its reports";

/*
 * Whether the byte is valid in a keyboard report: 0 means no key, 1 to 3 are error codes (such as
 * too many keys), and keys are up to 0xa4 and from 0xe0 to 0xe7.
 */
static bool is_usage(uint8_t usage)
{
	return usage <= 0xa4 || (usage >= 0xe0 && usage <= 0xe7);
}

/*
 * Whether an error code occurs in some places only: a keyboard repeats it in all six (HID 1.11,
 * appendix C).
 */
static bool has_lone_error(const uint8_t usages[6])
{
	for (size_t i = 0; i < 6; i++)
		if (usages[i] >= 1 && usages[i] <= 3)
			return memcmp(usages, usages + 1, 5) != 0;
	return false;
}

/*
 * Whether these can be the first n of six usages: all different (unless 0), or the same error code.
 */
static bool are_keys(const uint8_t *usages, size_t n)
{
	if (n == 6 && has_lone_error(usages))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!is_usage(usages[i]))
			return false;
		for (size_t k = 0; k < i && usages[i] > 3; k++)
			if (usages[k] == usages[i])
				return false;
	}
	return true;
}

/* Whether the bytes can be the report of a boot keyboard: modifiers, a reserved byte, usages. */
bool keystrokes_form(const uint8_t *p, size_t n)
{
	return n == 8 && !p[1] && are_keys(p + 2, 6);
}

/*
 * Receivers of Logitech (Unifying, DJ) pass reports of their devices on: report 0x20, number of
 * the device, type 1 (keyboard), modifiers, usages. Their report descriptor tells nothing of it.
 * Source: Linux, drivers/hid/hid-logitech-dj.c.
 */
bool keystrokes_passed_on(const uint8_t *p, size_t n, size_t length)
{
	static const uint8_t rest[5];

	return length == 15 && n > 4 && n <= length && p[0] == 0x20 && p[1] && p[1] < 16 &&
	       p[2] == 1 && are_keys(p + 4, n < 10 ? n - 4 : 6) &&
	       (n <= 10 || !memcmp(p + 10, rest, n - 10));
}

/* The same of a device that is Logitech's, or unknown. */
static bool is_passed_on(const struct usb_detail *d)
{
	enum { LOGITECH = 0x046d };

	return keystrokes_passed_on(d->data, d->data_len, d->urb.length) &&
	       (!d->device || !d->device->known || usbdev_vendor(d->device) == LOGITECH);
}

/*
 * Whether all reports of the endpoint so far, including this one, look like boot keyboard reports.
 */
static bool all_boot_reports(struct usb_devices *devices, struct usb_detail *d)
{
	bool one = keystrokes_form(d->data, d->data_len);
	struct usb_device *dev = usbdev_at(devices, d->urb.bus, d->urb.device);
	enum usb_form *form;

	if (!dev)
		return one;
	form = &dev->forms[urb_endpoint_number(&d->urb) & 15];
	if (!one)
		*form = FORM_OTHER;
	else if (*form == FORM_UNSEEN)
		*form = FORM_BOOT_KEYBOARD;
	return *form == FORM_BOOT_KEYBOARD;
}

static const char *hid_rule(struct usb_devices *devices, struct usb_detail *d,
			    const struct usb_interface *f)
{
	bool boot = f->subclass == 1 && f->protocol == 1;

	if (f->hid.nfields && hid_is_secret(&f->hid, HID_INPUT, d->data, d->data_len))
		return f->hid_known ? by_descriptor : by_protocol;
	/* The report descriptor may be known although the host selected the boot protocol. */
	if (boot && keystrokes_form(d->data, d->data_len))
		return by_protocol;
	if (is_passed_on(d))
		return keystrokes_by_form;
	if (f->hid.nfields || f->protocol == 2)
		return NULL;
	return all_boot_reports(devices, d) ? keystrokes_by_form : NULL;
}

/*
 * Whether the request reads an input report. If the interface is unknown, the form of the request
 * decides.
 */
static bool requests_input(const struct usb_detail *d)
{
	return d->has_setup && control_kind(&d->setup) == SETUP_CLASS &&
	       control_recipient(&d->setup) == SETUP_INTERFACE && d->setup.request == 0x01 &&
	       d->setup.value >> 8 == 1 && (d->target.class == 0x03 || !d->target.class);
}

const char *keystrokes_rule(struct usb_devices *devices, struct usb_detail *d)
{
	const struct usb_interface *f = d->interface;

	if (!d->data_len || !urb_in(&d->urb))
		return NULL;
	if (d->urb.xfer == URB_CONTROL) {
		if (!requests_input(d))
			return NULL;
		f = usbdev_interface_number(d->device, (uint8_t)d->setup.index);
	} else if (d->urb.xfer != URB_INTERRUPT) {
		return NULL;
	}
	if (!f)
		return all_boot_reports(devices, d) || is_passed_on(d) ? keystrokes_by_form : NULL;
	return f->class == 0x03 ? hid_rule(devices, d, f) : NULL;
}

const char *keystrokes_rule_anywhere(const struct usb_device *dev, const uint8_t *p, size_t n)
{
	for (unsigned int i = 0; n && dev && i < dev->ninterfaces; i++) {
		const struct usb_interface *f = &dev->interfaces[i];

		if (f->class == 0x03 && f->hid.nfields && hid_is_secret(&f->hid, HID_INPUT, p, n))
			return f->hid_known ? by_descriptor : by_protocol;
	}
	return keystrokes_form(p, n) || keystrokes_passed_on(p, n, n) ? keystrokes_by_form : NULL;
}
