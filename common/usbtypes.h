/* SPDX-License-Identifier: MIT */
/*
 * How USB events lie in a .trawl file: records are usbmon's own, header, descriptors and data
 * unchanged, of three event types; what USBPcap captured is put into that form. The time stamp of
 * an event is the header's ts_sec and ts_usec in ns (CLOCK_REALTIME); these two are not stored
 * again and read back as zero.
 *
 * Whoever writes such a file describes it by these: capture, and import of other formats.
 */
#ifndef TRAWL_COMMON_USBTYPES_H
#define TRAWL_COMMON_USBTYPES_H

#include "format/trawl.h"

#include <stdbool.h>
#include <stddef.h>

/* struct mon_bin_hdr. `setup` of an isochronous URB holds s32 error_count, s32 numdesc. */
struct usbmon_header {
	uint64_t id;
	uint8_t type;      /* 'S', 'C', 'E'; '@' fills the ring's end and never leaves usbmon.c */
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
	uint32_t len_cap; /* bytes after this header: descriptors and data */
	uint8_t setup[8];
	int32_t interval;
	int32_t start_frame;
	uint32_t xfer_flags;
	uint32_t ndesc;
};

_Static_assert(sizeof(struct usbmon_header) == 64, "as the kernel has it");

/* Link types of pcap and pcapng that hold USB. */
enum {
	LINKTYPE_USB_LINUX = 189,         /* the first 48 bytes of the header, no descriptors */
	LINKTYPE_USB_LINUX_MMAPPED = 220, /* records as they are */
	LINKTYPE_USBPCAP = 249,
	LINKTYPE_USB_DARWIN = 266,        /* macOS, XHC20 */
	LINKTYPE_USB_2_0 = 288,           /* packets of the bus */
	LINKTYPE_USB_2_0_LOW_SPEED = 293,
	LINKTYPE_USB_2_0_FULL_SPEED = 294,
	LINKTYPE_USB_2_0_HIGH_SPEED = 295,
};

/* Whether such packets are kept as they are: a source of kind "usbpacket". Those of macOS are
 * halves of transfers all the same (decode/usb/darwin.h). */
static inline bool usbtypes_is_packet(uint32_t linktype)
{
	return linktype == LINKTYPE_USB_DARWIN || linktype == LINKTYPE_USB_2_0 ||
	       (linktype >= LINKTYPE_USB_2_0_LOW_SPEED && linktype <= LINKTYPE_USB_2_0_HIGH_SPEED);
}

/* In front of the packet's bytes. */
struct usb_bus_packet {
	uint32_t length; /* of the packet before it was cut */
};

/*
 * The length that an imported capture gives a packet, where libpcap's rule (decode/usb/packets.c)
 * gives another; else 0. It lies where the time stamp's microseconds were, in sources that have
 * such a packet.
 */
#define USB_PACKET_LENGTH offsetof(struct usbmon_header, ts_usec)

/*
 * What USBPcap has and usbmon has not, in members of struct usbmon_header that its events do not
 * use: those of the time stamp (from ts_sec on) and xfer_flags.
 */
struct usbpcap_fields {
	uint32_t usbd_status; /* USBD_STATUS of Windows */
	uint16_t function;    /* URB_FUNCTION_... */
	uint8_t info;         /* bit 0: coming up from the bus driver */
	uint8_t stage;        /* of a control transfer; USBPCAP_NO_STAGE: the packet has none */
	uint32_t data_length; /* as the packet's header says */
	uint32_t marks;       /* USBPCAP_TURNED, ...; in xfer_flags */
};

#define USBPCAP_NO_STAGE 0xff

/* Where in a record such a field lies; but marks. */
#define USBPCAP_AT(member)                                                                        \
	(offsetof(struct usbmon_header, ts_sec) + offsetof(struct usbpcap_fields, member))

enum {
	USBPCAP_TURNED = 1,  /* the packet's endpoint has the other direction */
	USBPCAP_MADE_UP = 2, /* the import made this event; no packet of the capture is it */
};

enum usb_event {
	USB_SUBMIT = 1,   /* "usb:submit", type 'S' */
	USB_COMPLETE = 2, /* "usb:complete", type 'C' */
	USB_ERROR = 3,    /* "usb:error", type 'E': the submission failed */
	/* Of USBPcap, with struct usbpcap_fields. */
	USBPCAP_SUBMIT = 4,   /* "usbpcap:submit", type 'S' */
	USBPCAP_COMPLETE = 5, /* "usbpcap:complete", type 'C' */
	USBPCAP_STAGE = 6,    /* "usbpcap:stage", type 'T': a stage that is in another event, too */
	USBPCAP_IRP = 7,      /* "usbpcap:irp", type 'I': a request that moves no data */
	USBPCAP_PACKET = 8,   /* "usbpcap:packet", type 'P': a packet as it was; not understood */
	USB_PACKET = 9,       /* "usb:packet": struct usb_bus_packet, of a source of such packets */
};

static inline bool usbtypes_is_usbpcap(uint32_t id)
{
	return id >= USBPCAP_SUBMIT && id <= USBPCAP_PACKET;
}

/* Whether events of this type are halves of transfers. */
static inline bool usbtypes_is_urb(uint32_t id)
{
	return id <= USBPCAP_COMPLETE;
}

/* The type in the header of an event's record. */
static inline char usbtypes_letter(uint32_t id)
{
	return id <= USBPCAP_PACKET ? "ESCESCTIP"[id] : 'E';
}

/* The event type of a header's `type`, 0 if there is none. */
static inline uint32_t usbtypes_event(uint8_t type)
{
	return type == 'S' ? USB_SUBMIT : type == 'C' ? USB_COMPLETE : type == 'E' ? USB_ERROR : 0;
}

/* Describes the source and its event types to a writer; returns the source's id, or -1. */
int usbtypes_describe(struct trawl_writer *w, const char *spec, struct trawl_error *err);

/*
 * The same in steps, for an import: the source of a link type, whose time stamps are multiples of
 * `resolution` ns, returning its id; then each event type (enum usb_event) before its first event.
 * with_length: events of usbmon have a length at USB_PACKET_LENGTH.
 */
int usbtypes_source(struct trawl_writer *w, const char *name, const char *spec, uint16_t linktype,
		    uint32_t resolution, struct trawl_error *err);
int usbtypes_type(struct trawl_writer *w, uint16_t source, uint32_t id, bool with_length,
		  struct trawl_error *err);

#endif
