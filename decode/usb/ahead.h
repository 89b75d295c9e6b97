/* SPDX-License-Identifier: MIT */
/*
 * Looking ahead for device snapshots. A device that is plugged in during a capture sends its first
 * transfers before the recorder has read its sysfs files, so the snapshot that holds its port and
 * name stands later in the file than those transfers.
 */
#ifndef TRAWL_DECODE_USB_AHEAD_H
#define TRAWL_DECODE_USB_AHEAD_H

#include "decode/usb/device.h"
#include "format/trawl.h"

/* An index of the snapshots in a file, in file order. Must be zeroed before the first use. */
struct usb_ahead {
	struct usb_ahead_entry *entries;
	size_t n, room;
	size_t read; /* number of metadata entries that were examined */
};

void usbahead_free(struct usb_ahead *a);

/*
 * Sets the port and name of `dev` from the first snapshot of its address at metadata index `next`
 * or later. A snapshot of another device is not used: one whose device descriptor differs from that
 * of `dev` (if known), or one that follows a snapshot saying that the device is gone. Call once
 * when the device is first seen, and again when its descriptor becomes known.
 */
void usbahead_name(struct usb_ahead *a, const struct trawl_reader *r, size_t next,
		   struct usb_device *dev);

#endif
