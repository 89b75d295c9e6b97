/* SPDX-License-Identifier: MIT */
#include "decode/usb/keystrokes.h"

static const char by_descriptor[] = "report descriptor";
static const char by_protocol[] = "boot protocol";
const char keystrokes_by_form[] = "form of its reports";

/* 0: no key; 1 to 3: errors, such as too many keys; up to 0xa4 and from 0xe0 to 0xe7: keys. */
static bool is_usage(uint8_t usage)
{
	return usage <= 0xa4 || (usage >= 0xe0 && usage <= 0xe7);
}

/* A report of a boot keyboard: modifiers, a reserved byte, six usages of which none comes twice. */
bool keystrokes_form(const uint8_t *p, size_t n)
{
	if (n != 8 || p[1])
		return false;
	for (size_t i = 2; i < 8; i++) {
		if (!is_usage(p[i]))
			return false;
		for (size_t k = 2; k < i && p[i] > 3; k++)
			if (p[k] == p[i])
				return false;
	}
	return true;
}

/* All reports of the endpoint so far, this one among them, look like a boot keyboard's. */
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
	/* Its descriptor may be known, and the boot protocol chosen. */
	if (boot && keystrokes_form(d->data, d->data_len))
		return by_protocol;
	if (f->hid.nfields || f->protocol == 2)
		return NULL;
	return all_boot_reports(devices, d) ? keystrokes_by_form : NULL;
}

/* GET_REPORT of input; of an interface that nothing is known of, the request alone tells. */
static bool asks_input(const struct usb_detail *d)
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
		if (!asks_input(d))
			return NULL;
		f = usbdev_interface_number(d->device, (uint8_t)d->setup.index);
	} else if (d->urb.xfer != URB_INTERRUPT) {
		return NULL;
	}
	if (!f)
		return all_boot_reports(devices, d) ? keystrokes_by_form : NULL;
	return f->class == 0x03 ? hid_rule(devices, d, f) : NULL;
}
