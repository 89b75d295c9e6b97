/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include "common/usbtypes.h"
#include "common/array.h"

#define FIELD(member, text, type, k, f)                                                           \
	{                                                                                         \
		.name = text, .ctype = type, .note = "", .kind = k, .flags = f,                   \
		.offset = offsetof(struct usbmon_header, member),                                 \
		.size = sizeof(((struct usbmon_header *)0)->member), .count = 1                   \
	}
/* Fields of the setup packet. In an isochronous URB these bytes are error_count and numdesc. */
#define SETUP(at, bytes, text, type, k)                                                           \
	{                                                                                         \
		.name = text, .ctype = type, .note = "", .kind = k,                               \
		.offset = offsetof(struct usbmon_header, setup) + (at), .size = bytes, .count = 1 \
	}

/* The fields that all records begin with. */
#define HEAD_FIELDS                                                                               \
	FIELD(id, "id", "u64", TRAWL_ADDR, 0),                                                    \
	FIELD(type, "type", "char", TRAWL_CHAR, 0),                                               \
	FIELD(xfer_type, "xfer_type", "u8", TRAWL_ENUM, TRAWL_FIELD_KEY),                         \
	FIELD(epnum, "epnum", "u8", TRAWL_HEX, TRAWL_FIELD_KEY),                                  \
	FIELD(devnum, "devnum", "u8", TRAWL_UINT, TRAWL_FIELD_KEY),                               \
	FIELD(busnum, "busnum", "u16", TRAWL_UINT, TRAWL_FIELD_KEY),                              \
	FIELD(flag_setup, "flag_setup", "char", TRAWL_CHAR, 0),                                   \
	FIELD(flag_data, "flag_data", "char", TRAWL_CHAR, 0)

#define STATUS_AND_SETUP_FIELDS                                                                   \
	FIELD(status, "status", "s32", TRAWL_INT, 0),                                             \
	FIELD(len_urb, "len_urb", "u32", TRAWL_UINT, 0),                                          \
	FIELD(len_cap, "len_cap", "u32", TRAWL_UINT, 0),                                          \
	SETUP(0, 1, "bmRequestType", "u8", TRAWL_HEX),                                            \
	SETUP(1, 1, "bRequest", "u8", TRAWL_HEX),                                                 \
	SETUP(2, 2, "wValue", "u16", TRAWL_HEX),                                                  \
	SETUP(4, 2, "wIndex", "u16", TRAWL_HEX),                                                  \
	SETUP(6, 2, "wLength", "u16", TRAWL_UINT)

static const struct trawl_field fields[] = {
	/* the first one, so that sources without it can skip it */
	{ .name = "packet_length", .ctype = "u32", .note = "", .kind = TRAWL_UINT,
	  .offset = USB_PACKET_LENGTH, .size = 4, .count = 1 },
	HEAD_FIELDS,
	STATUS_AND_SETUP_FIELDS,
	FIELD(interval, "interval", "s32", TRAWL_INT, 0),
	FIELD(start_frame, "start_frame", "s32", TRAWL_INT, 0),
	FIELD(xfer_flags, "xfer_flags", "u32", TRAWL_HEX, 0),
	FIELD(ndesc, "ndesc", "u32", TRAWL_UINT, 0),
	{ .name = "data", .ctype = "u8[]", .note = "", .kind = TRAWL_BYTES, .place = TRAWL_TAIL,
	  .offset = sizeof(struct usbmon_header), .size = 1 },
};

/* Fields in the place of the time stamp and of xfer_flags. */
#define USBPCAP(member, at, text, type, k)                                                        \
	{                                                                                         \
		.name = text, .ctype = type, .note = "", .kind = k,                               \
		.offset = at,                                                                     \
		.size = sizeof(((struct usbpcap_fields *)0)->member), .count = 1                  \
	}

static const struct trawl_field usbpcap_fields[] = {
	HEAD_FIELDS,
	USBPCAP(usbd_status, USBPCAP_AT(usbd_status), "usbd_status", "u32", TRAWL_HEX),
	USBPCAP(function, USBPCAP_AT(function), "function", "u16", TRAWL_ENUM),
	USBPCAP(info, USBPCAP_AT(info), "info", "u8", TRAWL_HEX),
	USBPCAP(stage, USBPCAP_AT(stage), "stage", "u8", TRAWL_ENUM),
	USBPCAP(data_length, USBPCAP_AT(data_length), "data_length", "u32", TRAWL_UINT),
	STATUS_AND_SETUP_FIELDS,
	FIELD(start_frame, "start_frame", "s32", TRAWL_INT, 0),
	USBPCAP(marks, offsetof(struct usbmon_header, xfer_flags), "marks", "u32", TRAWL_HEX),
	FIELD(ndesc, "ndesc", "u32", TRAWL_UINT, 0),
	{ .name = "data", .ctype = "u8[]", .note = "", .kind = TRAWL_BYTES, .place = TRAWL_TAIL,
	  .offset = sizeof(struct usbmon_header), .size = 1 },
};

static const struct trawl_field packet_fields[] = {
	{ .name = "length", .ctype = "u32", .note = "", .kind = TRAWL_UINT,
	  .offset = offsetof(struct usb_bus_packet, length), .size = 4, .count = 1 },
	{ .name = "data", .ctype = "u8[]", .note = "", .kind = TRAWL_BYTES, .place = TRAWL_TAIL,
	  .offset = sizeof(struct usb_bus_packet), .size = 1 },
};

static const char *const type_names[] = {
	[USB_SUBMIT] = "usb:submit", [USB_COMPLETE] = "usb:complete", [USB_ERROR] = "usb:error",
	[USBPCAP_SUBMIT] = "usbpcap:submit", [USBPCAP_COMPLETE] = "usbpcap:complete",
	[USBPCAP_STAGE] = "usbpcap:stage", [USBPCAP_IRP] = "usbpcap:irp",
	[USBPCAP_PACKET] = "usbpcap:packet", [USB_PACKET] = "usb:packet",
};

int usbtypes_source(struct trawl_writer *w, const char *name, const char *spec, uint16_t linktype,
		    uint32_t resolution, struct trawl_error *err)
{
	struct trawl_source source = {
		.name = name, .spec = spec, .clock = TRAWL_CLOCK_REAL,
		.kind = usbtypes_is_packet(linktype) ? "usbpacket" : "usbmon",
		.linktype = linktype, .resolution = resolution,
	};

	return trawl_writer_source(w, &source, err);
}

int usbtypes_type(struct trawl_writer *w, uint16_t source, uint32_t id, bool with_length,
		  struct trawl_error *err)
{
	const unsigned int skip = with_length ? 0 : 1;
	bool pcap = usbtypes_is_usbpcap(id);
	struct trawl_event_type packet = {
		.source = source, .id = id, .name = type_names[id], .format = "",
		.size = sizeof(struct usb_bus_packet),
		.nfields = ARRAY_SIZE(packet_fields), .fields = packet_fields,
	};
	struct trawl_event_type type = {
		.source = source, .id = id, .name = type_names[id], .format = "",
		.size = sizeof(struct usbmon_header),
		.nfields = pcap ? ARRAY_SIZE(usbpcap_fields)
				: ARRAY_SIZE(fields) - skip,
		.fields = pcap ? usbpcap_fields : fields + skip,
	};

	return trawl_writer_event_type(w, id == USB_PACKET ? &packet : &type, err);
}

int usbtypes_describe(struct trawl_writer *w, const char *spec, struct trawl_error *err)
{
	int id = usbtypes_source(w, "usb", spec, LINKTYPE_USB_LINUX_MMAPPED, 1000, err);

	if (id < 0)
		return -1;
	for (uint32_t type = USB_SUBMIT; type <= USB_ERROR; type++)
		if (usbtypes_type(w, (uint16_t)id, type, false, err) < 0)
			return -1;
	return id;
}
