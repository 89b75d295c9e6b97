/* SPDX-License-Identifier: MIT */
/* Serial converters: CDC ACM with its notifications and line coding, and FTDI chips. */
#include <stdlib.h>

#include "decode/usb/cdc.h"
#include "decode/base/escape.h"
#include "common/utf8.h"
#include "decode/usb/ftdi.h"
#include "decode/usb/class.h"

#define TEXT_SHOWN 200 /* bytes of serial text shown in a line */

static bool is_acm(const struct usb_detail *d)
{
	const struct usb_interface *f = usbdev_control_interface(d->device, d->interface);

	return f && f->class == 0x02 && f->subclass == 0x02;
}

static bool serial_fits(const struct usb_detail *d)
{
	return d->interface && d->interface->class == 0x0a && d->urb.xfer == URB_BULK &&
	       is_acm(d);
}

static bool ftdi_fits(const struct usb_detail *d)
{
	return d->device && d->device->known && d->urb.xfer == URB_BULK &&
	       ftdi_is(usbdev_vendor(d->device), usbdev_product(d->device));
}

unsigned int usb_ftdi_packet(const struct usb_detail *d)
{
	return d->endpoint ? d->endpoint->packet & 0x7ff : 0;
}

uint8_t *usb_serial_text(const struct usb_detail *d, size_t *n)
{
	uint8_t *text = malloc(d->data_len + 1);

	*n = 0;
	if (!text) {
		out_lack_memory();
		return NULL;
	}
	if ((d->class == &usb_ftdi_class || d->class == &usb_mpsse_class) && urb_in(&d->urb)) {
		*n = ftdi_strip(d->data, d->data_len, usb_ftdi_packet(d), text);
	} else {
		memcpy(text, d->data, d->data_len);
		*n = d->data_len;
	}
	return text;
}

static void serial_tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	size_t n;
	uint8_t *text = usb_serial_text(d, &n);

	if (text)
		tree_text(t, "text", text, n);
	free(text);
}

/* Whether the bytes are text: valid UTF-8 without control characters other than a terminal's. */
static bool is_text(const uint8_t *p, size_t n)
{
	size_t bad;

	for (size_t i = 0, len; i < n; i += len) {
		len = utf8_length(p + i, n - i, &bad);
		if (!len || p[i] == 0 || (p[i] < 0x20 && !strchr("\a\b\t\n\v\f\r\033", p[i])))
			return false;
	}
	return true;
}

static bool serial_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	size_t n;
	uint8_t *text = usb_serial_text(d, &n);
	bool whole = text && (!n || (n <= TEXT_SHOWN && is_text(text, n)));

	if (text && n) {
		out_str(o, "text ");
		out_quoted(o, text, n < TEXT_SHOWN ? n : TEXT_SHOWN);
		if (n > TEXT_SHOWN)
			out_str(o, "...");
	} else {
		out_str(o, "no text");
	}
	free(text);
	return whole;
}

static bool cdc_fits(const struct usb_detail *d)
{
	return d->interface && d->interface->class == 0x02 && d->urb.xfer == URB_INTERRUPT &&
	       urb_in(&d->urb);
}

static void cdc_tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	cdc_notification_tree(d->data, d->data_len, t);
}

static bool cdc_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	size_t start = o->len;

	out_str(o, "CDC ");
	cdc_notification_brief(d->data, d->data_len, o);
	return o->len > start + 4;
}

static bool cdc_requested(const struct usb_detail *d)
{
	return usb_is_class_request(d, 0x02, 0x20) || usb_is_class_request(d, 0x02, 0x21);
}

static void cdc_request_tree(const struct usb_state *s, const struct usb_detail *d,
			     struct tree *t)
{
	cdc_line_coding_tree(d->data, d->data_len, t);
}

static bool cdc_request_brief(const struct usb_state *s, const struct usb_detail *d,
			      struct out *o)
{
	size_t start = o->len;

	out_char(o, ' ');
	cdc_line_coding_brief(d->data, d->data_len, o);
	return o->len > start + 1;
}

static void ftdi_tree(const struct usb_state *s, const struct usb_detail *d, struct tree *t)
{
	serial_tree(s, d, t);
	if (urb_in(&d->urb))
		ftdi_status_tree(d->data, d->data_len, usb_ftdi_packet(d), t);
}

static bool ftdi_brief(const struct usb_state *s, const struct usb_detail *d, struct out *o)
{
	bool whole = serial_brief(s, d, o);

	if (urb_in(&d->urb))
		ftdi_status_brief(d->data, d->data_len, usb_ftdi_packet(d), o);
	return whole;
}

static bool ftdi_requested(const struct usb_detail *d)
{
	return control_kind(&d->setup) == SETUP_VENDOR && control_in(&d->setup) &&
	       ftdi_is(d->target.vendor, d->target.product) && ftdi_answers(d->setup.request);
}

static void ftdi_request_tree(const struct usb_state *s, const struct usb_detail *d,
			      struct tree *t)
{
	ftdi_answer_tree(d->setup.request, d->data, d->data_len, t);
}

static bool ftdi_request_brief(const struct usb_state *s, const struct usb_detail *d,
			       struct out *o)
{
	return ftdi_answer_brief(d->setup.request, d->data, d->data_len, o);
}

static const char *const ftdi_names[] = {
	"count", "latency_timer_ms", "line_set", "line_status", "modem_set", "modem_status",
	"packets", "pins", NULL,
};

const struct usb_class usb_cdc_class = {
	.fits = cdc_fits,
	.tree = cdc_tree,
	.brief = cdc_brief,
	.requested = cdc_requested,
	.request_tree = cdc_request_tree,
	.request_brief = cdc_request_brief,
};

const struct usb_class usb_serial_class = {
	.fits = serial_fits,
	.tree = serial_tree,
	.brief = serial_brief,
};

const struct usb_class usb_ftdi_class = {
	.fits = ftdi_fits,
	.tree = ftdi_tree,
	.brief = ftdi_brief,
	.requested = ftdi_requested,
	.request_tree = ftdi_request_tree,
	.request_brief = ftdi_request_brief,
	.names = ftdi_names,
	.words = ftdi_words,
};
