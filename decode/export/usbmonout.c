/* SPDX-License-Identifier: MIT */
#include "decode/export/usbmonout.h"
#include "decode/usb/usb.h"
#include "decode/usb/usbmontext.h"

static int usbmon_item(struct consumer *c, const struct decoder *d, void *state,
		       const struct item *it)
{
	struct usbmon_printer *p = (struct usbmon_printer *)c;
	const struct usb_detail *detail = it->detail;

	if (d == &usb_decoder && !detail->comment && urb_is_half(&detail->urb))
		usbmontext_write(&detail->urb, p->out);
	return p->out->error != 0;
}

void usbmon_printer_start(struct usbmon_printer *p, struct out *out)
{
	p->consumer = (struct consumer){.item = usbmon_item};
	p->out = out;
}
