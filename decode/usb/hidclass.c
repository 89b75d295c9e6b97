/* SPDX-License-Identifier: MIT */
/* HID: reports, decoded according to their report descriptor. */
#include "decode/usb/class.h"

static bool fits(const struct usb_detail *d)
{
	return d->interface && d->interface->class == 0x03 && d->urb.xfer == URB_INTERRUPT;
}

/* The report descriptor of the interface, or NULL if it is unknown. */
static const struct hid_report *reports_of(const struct usb_detail *d)
{
	const struct usb_interface *f = d->interface;

	if (!f && d->has_setup)
		f = usbdev_interface_number(d->device, (uint8_t)d->setup.index);
	return f && f->hid.nfields ? &f->hid : NULL;
}

static void report_tree(const struct usb_state *s, const struct usb_detail *d, enum hid_kind kind,
			struct tree *t)
{
	if (reports_of(d) && d->data_len)
		hid_tree(reports_of(d), kind, d->data, d->data_len, s->ctx->options->show_keys, t);
}

static bool report_brief(const struct usb_state *s, const struct usb_detail *d, enum hid_kind kind,
			 struct out *o)
{
	if (!reports_of(d) || !d->data_len)
		return !d->data_len;
	return hid_brief(reports_of(d), kind, d->data, d->data_len, s->ctx->options->show_keys, o);
}

static enum hid_kind kind_of(const struct usb_detail *d)
{
	return urb_in(&d->urb) ? HID_INPUT : HID_OUTPUT;
}

static void tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	report_tree(s, d, kind_of(d), t);
}

static bool brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	out_str(o, "HID");
	return report_brief(s, d, kind_of(d), o);
}

/* GET_REPORT and SET_REPORT. */
static bool requested(const struct usb_detail *d)
{
	unsigned int type = d->setup.value >> 8;

	return type >= 1 && type <= 3 &&
	       (usb_is_class_request(d, 0x03, 0x01) || usb_is_class_request(d, 0x03, 0x09));
}

static enum hid_kind requested_kind(const struct usb_detail *d)
{
	return (enum hid_kind)((d->setup.value >> 8) - 1);
}

static void request_tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	report_tree(s, d, requested_kind(d), t);
}

static bool request_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	return report_brief(s, d, requested_kind(d), o);
}

static const char *const names[] = {
	"bit", "bits",	 "key",	      "keys",  "keys_down", "kind",   "masked",
	"raw", "report", "report_id", "usage", "value",	    "values", NULL,
};

const struct usb_class usb_hid_class = {
	.fits = fits,
	.tree = tree,
	.brief = brief,
	.requested = requested,
	.request_tree = request_tree,
	.request_brief = request_brief,
	.names = names,
};
