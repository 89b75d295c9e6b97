/* SPDX-License-Identifier: MIT */
/*
 * What a USB capture has and lacks, and whether it can be replayed as a device: for that, the data
 * of every transfer must be in it.
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
	uint64_t unwanted;   /* left out by the filters */
	uint64_t undecided;  /* of devices that never became known */
	uint64_t malformed;  /* lengths or types that make no sense */
	/* Events whose data is not all there, by reason. */
	uint64_t cut_ring;   /* longer than the kernel keeps of one event */
	uint64_t cut_snap;   /* longer than -s */
	uint64_t cut_iso;    /* more isochronous packets than the kernel describes */
	uint64_t unmapped;   /* flag 'D': a scatter list that the kernel cannot read */
	uint64_t no_buffer;  /* flag 'Z': a buffer that only the hardware sees */
	uint64_t devices;    /* described in the file */
	uint64_t gone;       /* devices that were unplugged */
	bool text;           /* recorded from usbmon's text form */
	bool partial;        /* a filter leaves out endpoints */
};

/* Is an event's data complete? Returns true only where that is cheap to see, as mostly. */
static inline bool usbtally_whole(const struct usbmon_header *h, size_t given)
{
	bool data = h->flag_data ? h->flag_data == '<' || h->flag_data == '>' : given >= h->len_urb;

	return data && h->len_cap == given && h->xfer_type && !h->ndesc;
}

/* Counts what is missing of an event for which usbtally_whole() is false. */
void usbtally_why(struct usbtally *t, const struct usbmon_header *h, const uint8_t *after,
		  size_t given);

/* Counts one event: its header as stored, the bytes after it, and how many the kernel gave. */
static inline void usbtally_count(struct usbtally *t, const struct usbmon_header *h,
				  const uint8_t *after, size_t given)
{
	t->events++;
	if (!usbtally_whole(h, given))
		usbtally_why(t, h, after, given);
}

/* Writes metadata "usb/verdict". ring: its size in bytes; mapped: it was read by a mapping. */
void usbtally_json(const struct usbtally *t, size_t ring, bool mapped, struct json *j);

/* Writes the same for people: "yes", or "no, because: " and the reasons. */
enum { USBTALLY_TEXT = 800 };
void usbtally_text(const struct usbtally *t, char *text, size_t size);

#endif
