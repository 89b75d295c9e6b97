/* SPDX-License-Identifier: MIT */
/*
 * How USB events lie in a .trawl file: records are usbmon's own, header, descriptors and data
 * unchanged, of three event types. The time stamp of an event is the header's ts_sec and ts_usec
 * in ns (CLOCK_REALTIME); these two are not stored again and read back as zero.
 *
 * Whoever writes such a file describes it by these: capture, and import of other formats.
 */
#ifndef TRAWL_CAPTURE_USBTYPES_H
#define TRAWL_CAPTURE_USBTYPES_H

#include "trawl.h"

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
