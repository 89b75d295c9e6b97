/* SPDX-License-Identifier: MIT */
/*
 * USB descriptors: device, configuration with its subordinate descriptors, string, BOS, hub, and
 * those of the classes HID, CDC, audio, video, storage (UAS), DFU and CCID. Fields have the names
 * that the specifications give them.
 *
 * A descriptor comes from a device and may be malformed: its length may be 0, exceed the answer
 * that holds it, or be too small for its type. The walk is bounded by the bytes present and always
 * advances; a field that does not fit is omitted, and the descriptor is marked "short". References
 * between descriptors (units of an audio function) are printed, never followed.
 */
#ifndef TRAWL_DECODE_USB_DESCRIPTOR_H
#define TRAWL_DECODE_USB_DESCRIPTOR_H

#include "decode/base/namefn.h"
#include "decode/base/valuetree.h"
#include "decode/usb/chapter9.h"

struct descriptor_walk {
	const uint8_t *p, *end;
	bool stuck; /* the walk ended at a descriptor whose bLength is below 2 */
};

/* p may be NULL if n is 0. */
static inline struct descriptor_walk descriptor_walk(const uint8_t *p, size_t n)
{
	return (struct descriptor_walk){p, n ? p + n : p, false};
}

/*
 * Stores the next descriptor in *d. Returns false at the end, or at a descriptor with an invalid
 * length.
 */
bool descriptor_next(struct descriptor_walk *w, struct descriptor *d);

/*
 * "device", "configuration", "HID report", ..., or NULL if the type is unknown. `to` distinguishes
 * class-specific types that share a number.
 */
const char *descriptor_name(uint8_t type, const struct control_target *to);

/* The descriptor that GET_DESCRIPTOR requested. */
struct descriptor_request {
	uint8_t type, index;
	struct control_target to;
};

/*
 * Appends the answer to GET_DESCRIPTOR as a list "descriptors" of objects. HID report descriptors
 * are handled by hidreport.h instead.
 */
void descriptor_tree(const struct descriptor_request *r, const uint8_t *p, size_t n,
		     struct tree *t);

/*
 * Appends the most important fields as one phrase; appends nothing for types without a short form.
 */
void descriptor_brief(const struct descriptor_request *r, const uint8_t *p, size_t n,
		      struct out *o);

/*
 * Converts the UTF-16LE text of a string descriptor (n bytes after bDescriptorType) to UTF-8 and
 * appends it.
 */
void descriptor_utf16(const uint8_t *p, size_t n, struct out *o);

/* Calls fn for each text that a member of this name can have in a descriptor, or in setup. */
void descriptor_words(const char *member, decoder_name_fn *fn, void *arg);

/* "mass storage", "HID", ..., or NULL if the class is unknown. */
const char *usb_class_name(uint8_t class);

#endif
