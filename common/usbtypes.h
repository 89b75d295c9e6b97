/* SPDX-License-Identifier: MIT */
/*
 * USB events in a .trawl file. Records are those of usbmon, unchanged: header, descriptors and
 * data. Captures of USBPcap are converted to this form. The time stamp of an event is the header's
 * ts_sec and ts_usec in ns (CLOCK_REALTIME); these two members are not stored again and read back
 * as zero.
 *
 * The recorder and the importers describe their sources by these functions.
 */
#ifndef TRAWL_COMMON_USBTYPES_H
#define TRAWL_COMMON_USBTYPES_H

#include "format/trawl.h"

#include <stdbool.h>
#include <stddef.h>

/* struct mon_bin_hdr. `setup` of an isochronous URB holds s32 error_count, s32 numdesc. */
struct usbmon_header {
	uint64_t id;
	uint8_t type;      /* 'S', 'C', 'E'; '@' pads the ring of usbmon and is never stored */
	uint8_t xfer_type; /* 0 isochronous, 1 interrupt, 2 control, 3 bulk */
	uint8_t epnum;     /* bit 7: IN */
	uint8_t devnum;
	uint16_t busnum;
	char flag_setup;
	char flag_data;
	int64_t ts_sec;
	int32_t ts_usec;
	int32_t status;
	uint32_t len_urb;
	uint32_t len_cap; /* bytes of descriptors and data after this header */
	uint8_t setup[8];
	int32_t interval;
	int32_t start_frame;
	uint32_t xfer_flags;
	uint32_t ndesc;
};

_Static_assert(sizeof(struct usbmon_header) == 64, "as the kernel has it");

/* Link types of pcap and pcapng for USB. */
enum {
	LINKTYPE_USB_LINUX = 189,         /* the first 48 bytes of the header, no descriptors */
	LINKTYPE_USB_LINUX_MMAPPED = 220, /* complete records of usbmon */
	LINKTYPE_USBPCAP = 249,
	LINKTYPE_USB_DARWIN = 266,        /* macOS, XHC20 */
	LINKTYPE_USB_2_0 = 288,           /* packets on the bus */
	LINKTYPE_USB_2_0_LOW_SPEED = 293,
	LINKTYPE_USB_2_0_FULL_SPEED = 294,
	LINKTYPE_USB_2_0_HIGH_SPEED = 295,
};

/*
 * Whether packets of this link type are stored unchanged, in a source of kind "usbpacket". Those of
 * macOS are nevertheless submissions and completions (decode/usb/darwin.h).
 */
static inline bool usbtypes_is_packet(uint32_t linktype)
{
	return linktype == LINKTYPE_USB_DARWIN || linktype == LINKTYPE_USB_2_0 ||
	       (linktype >= LINKTYPE_USB_2_0_LOW_SPEED && linktype <= LINKTYPE_USB_2_0_HIGH_SPEED);
}

/* Precedes the bytes of such a packet in its record. */
struct usb_bus_packet {
	uint32_t length; /* of the packet on the bus; the record may have fewer bytes */
};

/*
 * Offset of a field with the packet length of an imported capture, if that differs from libpcap's
 * rule (decode/usb/packets.c), else 0. It takes the place of ts_usec, in sources that have such a
 * packet.
 */
#define USB_PACKET_LENGTH offsetof(struct usbmon_header, ts_usec)

/*
 * Fields of USBPcap that usbmon does not have. They take the place of members of struct
 * usbmon_header that such events do not use: the time stamp (from ts_sec on) and xfer_flags.
 */
struct usbpcap_fields {
	uint32_t usbd_status; /* USBD_STATUS of Windows */
	uint16_t function;    /* URB_FUNCTION_... */
	uint8_t info;         /* bit 0: completed, on its way up from the bus driver */
	uint8_t stage;        /* of a control transfer, or USBPCAP_NO_STAGE */
	uint32_t data_length; /* in the packet's header */
	uint32_t marks;       /* USBPCAP_TURNED, ...; in xfer_flags */
};

#define USBPCAP_NO_STAGE 0xff

/* Offset of such a field in a record; not for marks. */
#define USBPCAP_AT(member)                                                                        \
	(offsetof(struct usbmon_header, ts_sec) + offsetof(struct usbpcap_fields, member))

enum {
	USBPCAP_TURNED = 1,  /* the endpoint in the packet has the opposite direction */
	USBPCAP_MADE_UP = 2, /* the import added this event: the capture has no packet for it */
};

enum usb_event {
	USB_SUBMIT = 1,   /* "usb:submit", type 'S' */
	USB_COMPLETE = 2, /* "usb:complete", type 'C' */
	USB_ERROR = 3,    /* "usb:error", type 'E': the submission failed */
	/* Of USBPcap, with struct usbpcap_fields. */
	USBPCAP_SUBMIT = 4,   /* "usbpcap:submit", type 'S' */
	USBPCAP_COMPLETE = 5, /* "usbpcap:complete", type 'C' */
	USBPCAP_STAGE = 6,    /* "usbpcap:stage", type 'T': a stage that another event includes */
	USBPCAP_IRP = 7,      /* "usbpcap:irp", type 'I': a request that moves no data */
	USBPCAP_PACKET = 8,   /* "usbpcap:packet", type 'P': an unknown packet, unchanged */
	USB_PACKET = 9,       /* "usb:packet": struct usb_bus_packet, in a source "usbpacket" */
};

static inline bool usbtypes_is_usbpcap(uint32_t id)
{
	return id >= USBPCAP_SUBMIT && id <= USBPCAP_PACKET;
}

/* Whether events of this type are submissions or completions of transfers. */
static inline bool usbtypes_is_urb(uint32_t id)
{
	return id <= USBPCAP_COMPLETE;
}

/* Returns the `type` in the header of an event type's records. */
static inline char usbtypes_letter(uint32_t id)
{
	return id <= USBPCAP_PACKET ? "ESCESCTIP"[id] : 'E';
}

/* Returns the event type for a header's `type`; 0 if there is none. */
static inline uint32_t usbtypes_event(uint8_t type)
{
	return type == 'S' ? USB_SUBMIT : type == 'C' ? USB_COMPLETE : type == 'E' ? USB_ERROR : 0;
}

/*
 * Adds a source of usbmon and its event types to a writer. Returns the source's id, or -1 with
 * *err.
 */
int usbtypes_describe(struct trawl_writer *w, const char *spec, struct trawl_error *err);

/*
 * The same in two steps, for imports. usbtypes_source() adds the source of a link type, whose time
 * stamps are multiples of `resolution` ns, and returns its id. Then each event type (enum
 * usb_event) is added before its first event. with_length: usbmon's events have a field at
 * USB_PACKET_LENGTH.
 */
int usbtypes_source(struct trawl_writer *w, const char *name, const char *spec, uint16_t linktype,
		    uint32_t resolution, struct trawl_error *err);
int usbtypes_type(struct trawl_writer *w, uint16_t source, uint32_t id, bool with_length,
		  struct trawl_error *err);

#endif
