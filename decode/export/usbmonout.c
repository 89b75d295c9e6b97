/* SPDX-License-Identifier: MIT */
#include "decode/export/usbmonout.h"

#include <string.h>

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

static bool has_usb(struct stream *s)
{
	struct trawl_reader *r = stream_reader(s);

	for (size_t i = 0; i < trawl_source_count(r); i++)
		if (!strcmp(trawl_source_at(r, i)->kind, usb_decoder.kind))
			return true;
	return !stream_seekable(s); /* its sources are not all known yet */
}

int usbmon_printer_start(struct usbmon_printer *p, struct stream *s, struct out *out,
			 struct trawl_error *err)
{
	if (!has_usb(s)) {
		if (stream_verdict(s, err)) /* they may be in what is missing */
			return -1;
		return trawl_fail(err, TRAWL_USAGE, "--to usbmon: the file has no USB events; "
						    "choose another format, which --help lists");
	}
	p->consumer = (struct consumer){.item = usbmon_item};
	p->out = out;
	return 0;
}
