/* SPDX-License-Identifier: MIT */
/*
 * USB descriptors: device, configuration with all in it, string, BOS, hub, and those of the classes
 * HID, CDC, audio, video, storage (UAS), DFU, CCID. Field names are those of the specifications.
 *
 * A descriptor comes from a device and may lie: its length may be 0, longer than the answer that
 * holds it, or shorter than its type wants. Walking is bounded by the bytes there are and always
 * advances; a field that does not fit is left out and the descriptor is marked "short".
 * References between descriptors (units of an audio function) are shown, never followed.
 */
#ifndef TRAWL_DECODE_USB_DESCRIPTOR_H
#define TRAWL_DECODE_USB_DESCRIPTOR_H

#include "decode/base/valuetree.h"
#include "decode/usb/chapter9.h"

struct descriptor_walk {
	const uint8_t *p, *end;
	bool stuck; /* ended by a descriptor whose length is below 2 */
};

static inline struct descriptor_walk descriptor_walk(const uint8_t *p, size_t n)
{
	return (struct descriptor_walk){p, p + n, false};
}

/* The next descriptor; false at the end, or where a length makes no sense. */
bool descriptor_next(struct descriptor_walk *w, struct descriptor *d);

/* "device", "configuration", "HID report", ...; NULL if not known. `to` tells class types apart. */
const char *descriptor_name(uint8_t type, const struct control_target *to);

/* What was asked for. */
struct descriptor_request {
	uint8_t type, index;
	struct control_target to;
};

/*
 * Appends the answer to GET_DESCRIPTOR as a list "descriptors" of objects. A HID report
 * descriptor has no list of its own: see hidreport.h.
 */
void descriptor_tree(const struct descriptor_request *r, const uint8_t *p, size_t n,
		     struct tree *t);

/* The most telling fields in one phrase; nothing for types that have no short form. */
void descriptor_brief(const struct descriptor_request *r, const uint8_t *p, size_t n,
		      struct out *o);

/* UTF-16LE text of a string descriptor's payload as UTF-8. */
void descriptor_utf16(const uint8_t *p, size_t n, struct out *o);

/* "mass storage", "HID", ...; NULL if not known. */
const char *usb_class_name(uint8_t class);

#endif
