/* SPDX-License-Identifier: MIT */
/* Prints what macOS records of a transfer in addition to the fields of usbmon. */
#include "decode/usb/darwin.h"
#include "decode/usb/usb.h"

void darwin_tree(const struct usb_detail *d, struct tree *t)
{
	const struct darwin_fields *f = &d->urb.darwin;

	tree_object(t, "darwin");
	tree_hex(t, "io_id", d->urb.id, 16);
	tree_hex(t, "location_id", f->location, 8);
	tree_str(t, "speed", darwin_speed_name(f->speed));
	if (d->urb.type == 'C') {
		tree_hex(t, "io_status", f->io_status, 8);
		tree_str(t, "io_status_name", darwin_status_name(f->io_status));
	}
	tree_close(t);
}

/* Appends the status if Linux has no equivalent number. */
void darwin_brief(const struct urb *u, struct out *o)
{
	const char *name = darwin_status_name(u->darwin.io_status);

	if (name)
		out_printf(o, ", kIO%s", name);
	else
		out_printf(o, ", IOReturn 0x%08x", u->darwin.io_status);
}
