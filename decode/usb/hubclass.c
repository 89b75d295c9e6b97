/* SPDX-License-Identifier: MIT */
/* Hubs: port changes and port status. */
#include "decode/usb/hub.h"
#include "decode/usb/class.h"

static bool fits(const struct usb_detail *d)
{
	return d->interface && d->interface->class == 0x09 && d->urb.xfer == URB_INTERRUPT &&
	       urb_in(&d->urb);
}

static void tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	if (d->data_len)
		hub_change_tree(d->data, d->data_len, t);
}

static bool brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	out_str(o, "hub");
	if (d->data_len)
		hub_change_brief(d->data, d->data_len, o);
	return true;
}

static bool requested(const struct usb_detail *d)
{
	return usb_is_class_request(d, 0x09, REQ_GET_STATUS);
}

static unsigned int port_of(const struct usb_detail *d)
{
	return control_recipient(&d->setup) == SETUP_OTHER ? d->setup.index & 0xff : 0;
}

static void request_tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	hub_status_tree(port_of(d), d->target.protocol == 3, d->data, d->data_len, t);
}

static bool request_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	if (d->data_len < 4)
		return false;
	out_char(o, ' ');
	hub_status_brief(port_of(d), d->target.protocol == 3, d->data, d->data_len, o);
	return true;
}

const struct usb_class usb_hub_class = {
	.fits = fits,
	.tree = tree,
	.brief = brief,
	.requested = requested,
	.request_tree = request_tree,
	.request_brief = request_brief,
};
