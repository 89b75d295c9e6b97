/* SPDX-License-Identifier: MIT */
/*
 * Snapshots that are still to come: a device that is plugged in speaks before the recorder has
 * looked at it, and where it sits is told by the snapshot that follows.
 */
#ifndef TRAWL_DECODE_USB_AHEAD_H
#define TRAWL_DECODE_USB_AHEAD_H

#include "decode/usb/device.h"
#include "format/trawl.h"

/* What the snapshots in a file are of, in the order of the file; zeroed at first. */
struct usb_ahead {
	struct usb_ahead_entry *entries;
	size_t n, room;
	size_t read; /* pieces of metadata that were looked at */
};

void usbahead_free(struct usb_ahead *a);

/*
 * Gives a device its port and name from the first snapshot of its address among the metadata from
 * `next` on, unless that is of another device: by its descriptor, if that is known, or because the
 * device was gone before. Asked once, and once more when the descriptor is known.
 */
void usbahead_name(struct usb_ahead *a, const struct trawl_reader *r, size_t next,
		   struct usb_device *dev);

#endif
