/* SPDX-License-Identifier: MIT */
/*
 * How USB events lie in a .trawl file: records are usbmon's own, header, descriptors and data
 * unchanged, of three event types. The time stamp of an event is the header's ts_sec and ts_usec
 * in ns (CLOCK_REALTIME); these two are not stored again and read back as zero.
 *
 * Whoever writes such a file describes it by these: capture, and import of other formats.
 */
#ifndef TRAWL_COMMON_USBTYPES_H
#define TRAWL_COMMON_USBTYPES_H

#include "format/trawl.h"

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
	uint32_t len_cap; /* bytes behind this header: descriptors and data */
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
};

enum usb_event {
	USB_SUBMIT = 1,   /* "usb:submit", type 'S' */
	USB_COMPLETE = 2, /* "usb:complete", type 'C' */
	USB_ERROR = 3,    /* "usb:error", type 'E': the submission failed */
};

/* The event type of a header's `type`, 0 if there is none. */
static inline uint32_t usbtypes_event(uint8_t type)
{
	return type == 'S' ? USB_SUBMIT : type == 'C' ? USB_COMPLETE : type == 'E' ? USB_ERROR : 0;
}

/* Describes the source and its event types to a writer; returns the source's id, or -1. */
int usbtypes_describe(struct trawl_writer *w, const char *spec, struct trawl_error *err);

#endif
