/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include "common/usbtypes.h"

#define FIELD(member, text, type, k, f)                                                           \
	{                                                                                         \
		.name = text, .ctype = type, .note = "", .kind = k, .flags = f,                   \
		.offset = offsetof(struct usbmon_header, member),                                 \
		.size = sizeof(((struct usbmon_header *)0)->member), .count = 1                   \
	}
/* The setup packet's fields; of an isochronous URB these bytes are error_count and numdesc. */
#define SETUP(at, bytes, text, type, k)                                                           \
	{                                                                                         \
		.name = text, .ctype = type, .note = "", .kind = k,                               \
		.offset = offsetof(struct usbmon_header, setup) + (at), .size = bytes, .count = 1 \
	}

static const struct trawl_field fields[] = {
	FIELD(id, "id", "u64", TRAWL_ADDR, 0),
	FIELD(type, "type", "char", TRAWL_CHAR, 0),
	FIELD(xfer_type, "xfer_type", "u8", TRAWL_ENUM, TRAWL_FIELD_KEY),
	FIELD(epnum, "epnum", "u8", TRAWL_HEX, TRAWL_FIELD_KEY),
	FIELD(devnum, "devnum", "u8", TRAWL_UINT, TRAWL_FIELD_KEY),
	FIELD(busnum, "busnum", "u16", TRAWL_UINT, TRAWL_FIELD_KEY),
	FIELD(flag_setup, "flag_setup", "char", TRAWL_CHAR, 0),
	FIELD(flag_data, "flag_data", "char", TRAWL_CHAR, 0),
	FIELD(status, "status", "s32", TRAWL_INT, 0),
	FIELD(len_urb, "len_urb", "u32", TRAWL_UINT, 0),
	FIELD(len_cap, "len_cap", "u32", TRAWL_UINT, 0),
	SETUP(0, 1, "bmRequestType", "u8", TRAWL_HEX),
	SETUP(1, 1, "bRequest", "u8", TRAWL_HEX),
	SETUP(2, 2, "wValue", "u16", TRAWL_HEX),
	SETUP(4, 2, "wIndex", "u16", TRAWL_HEX),
	SETUP(6, 2, "wLength", "u16", TRAWL_UINT),
	FIELD(interval, "interval", "s32", TRAWL_INT, 0),
	FIELD(start_frame, "start_frame", "s32", TRAWL_INT, 0),
	FIELD(xfer_flags, "xfer_flags", "u32", TRAWL_HEX, 0),
	FIELD(ndesc, "ndesc", "u32", TRAWL_UINT, 0),
	{ .name = "data", .ctype = "u8[]", .note = "", .kind = TRAWL_BYTES, .place = TRAWL_TAIL,
	  .offset = sizeof(struct usbmon_header), .size = 1 },
};

int usbtypes_describe(struct trawl_writer *w, const char *spec, struct trawl_error *err)
{
	static const char *const names[] = {
		[USB_SUBMIT] = "usb:submit", [USB_COMPLETE] = "usb:complete",
		[USB_ERROR] = "usb:error",
	};
	struct trawl_source source = {
		.name = "usb", .spec = spec, .kind = "usbmon", .clock = TRAWL_CLOCK_REAL,
		.linktype = LINKTYPE_USB_LINUX_MMAPPED, .resolution = 1000,
	};
	struct trawl_event_type type = {
		.format = "", .size = sizeof(struct usbmon_header),
		.nfields = sizeof(fields) / sizeof(*fields), .fields = fields,
	};
	int id = trawl_writer_source(w, &source, err);

	if (id < 0)
		return -1;
	type.source = (uint16_t)id;
	for (type.id = USB_SUBMIT; type.id <= USB_ERROR; type.id++) {
		type.name = names[type.id];
		if (trawl_writer_event_type(w, &type, err) < 0)
			return -1;
	}
	return id;
}
