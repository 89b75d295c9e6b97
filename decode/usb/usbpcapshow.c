/* SPDX-License-Identifier: MIT */
/* Prints events of USBPcap, and the fields that they have in addition to usbmon's. */
#include "common/array.h"
#include "decode/usb/usb.h"
#include "decode/base/number.h"
#include "decode/usb/usbpcap.h"

static const char *stage_name(uint8_t stage)
{
	static const char *const names[] = {"setup", "data", "status", "complete"};

	return stage < ARRAY_SIZE(names) ? names[stage] : NULL;
}

void usbpcap_tree(const struct usb_detail *d, struct tree *t)
{
	const struct usbpcap_fields *f = &d->urb.usbpcap;

	tree_object(t, "usbpcap");
	tree_hex(t, "irp", d->urb.id, 16);
	tree_uint(t, "function", f->function);
	tree_str(t, "function_name", usbpcap_function_name(f->function));
	tree_hex(t, "usbd_status", f->usbd_status, 8);
	tree_str(t, "usbd_status_name", usbpcap_status_name(f->usbd_status));
	tree_uint(t, "irp_info", f->info);
	tree_str(t, "stage", stage_name(f->stage));
	if (f->marks & USBPCAP_MADE_UP)
		tree_bool(t, "made_up", true);
	tree_close(t);
}

static void function(const struct usbpcap_fields *f, struct out *o)
{
	const char *name = usbpcap_function_name(f->function);

	if (name)
		out_str(o, name);
	else
		out_printf(o, "function 0x%x", f->function);
}

static void request_brief(const struct urb *u, struct out *o)
{
	const struct usbpcap_fields *f = &u->usbpcap;
	const char *status = usbpcap_status_name(f->usbd_status);

	function(f, o);
	if (!(f->info & 1)) {
		out_str(o, " requested");
		return;
	}
	out_str(o, " done");
	if (f->usbd_status && status)
		out_printf(o, ", %s (0x%08x)", status, f->usbd_status);
	else if (f->usbd_status)
		out_printf(o, ", status 0x%08x", f->usbd_status);
}

void usbpcap_brief(const struct usb_detail *d, struct out *o)
{
	const struct urb *u = &d->urb;
	const char *stage = stage_name(u->usbpcap.stage);

	if (u->type == 'P') {
		out_str(o, "packet that is not an event, ");
		out_count(o, u->data_len, "byte");
		return;
	}
	if (urb_no_endpoint(u))
		out_printf(o, "%u:%u ep?      ", u->bus, u->device);
	else
		out_printf(o, "%u:%u ep%u %s  ", u->bus, u->device, urb_endpoint_number(u),
			   urb_in(u) ? "in " : "out");
	if (u->type == 'T')
		out_printf(o, "%s stage", stage ? stage : "control");
	else
		request_brief(u, o);
	if (u->data_len) {
		out_str(o, ", ");
		out_count(o, u->data_len, "byte");
	}
}
