/* SPDX-License-Identifier: MIT */
/*
 * Counts what is missing in a USB capture, and decides whether it can be replayed as a device: that
 * needs the data of every transfer.
 */
#ifndef TRAWL_CAPTURE_USB_TALLY_H
#define TRAWL_CAPTURE_USB_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include "common/json.h"
#include "capture/usb/usbmon.h"

struct usbtally {
	uint64_t events;
	uint64_t lost;       /* the kernel's ring was full */
	uint64_t unwanted;   /* not selected by the filters */
	uint64_t undecided;  /* of devices that were never announced */
	uint64_t malformed;  /* with invalid lengths or types */
	/* Events with incomplete data, by reason. */
	uint64_t cut_ring;   /* longer than what the kernel keeps of one event */
	uint64_t cut_snap;   /* longer than -s */
	uint64_t cut_iso;    /* more isochronous packets than the kernel describes */
	uint64_t unmapped;   /* flag 'D': data in a scatter list, which usbmon cannot read */
	uint64_t no_buffer;  /* flag 'Z': data in a buffer that is not mapped for the CPU */
	uint64_t devices;    /* described in the file */
	uint64_t gone;       /* devices that were unplugged */
	bool text;           /* recorded from usbmon's text interface */
	bool partial;        /* a filter excludes endpoints */
};

/*
 * Fast check whether an event's data is complete. False: call usbtally_why(), which may find that
 * it is.
 */
static inline bool usbtally_whole(const struct usbmon_header *h, size_t given)
{
	bool data = h->flag_data ? h->flag_data == '<' || h->flag_data == '>' : given >= h->len_urb;

	return data && h->len_cap == given && h->xfer_type && !h->ndesc;
}

/* Counts the missing data of an event for which usbtally_whole() is false. */
void usbtally_why(struct usbtally *t, const struct usbmon_header *h, const uint8_t *after,
		  size_t given);

/*
 * Counts one event. h: its header as stored; after: the bytes after it; given: how many the kernel
 * returned.
 */
static inline void usbtally_count(struct usbtally *t, const struct usbmon_header *h,
				  const uint8_t *after, size_t given)
{
	t->events++;
	if (!usbtally_whole(h, given))
		usbtally_why(t, h, after, given);
}

/* Writes metadata "usb/verdict". ring: its size in bytes; mapped: it was read by a mapping. */
void usbtally_json(const struct usbtally *t, size_t ring, bool mapped, struct json *j);

/* Writes the same as a sentence for users: "yes", or "no, because: " and the reasons. */
enum { USBTALLY_TEXT = 800 };
void usbtally_text(const struct usbtally *t, char *text, size_t size);

#endif
