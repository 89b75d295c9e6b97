/* SPDX-License-Identifier: MIT */
/*
 * Control requests: the eight bytes of a setup packet, by name.
 *
 * Sources: USB 2.0 and 3.2 chapter 9 and 11 (standard, hub), and the class specifications: HID
 * 1.11, Mass Storage Bulk-Only 1.0, CDC 1.2 with PSTN and NCM, Audio 1.0/2.0/3.0, Video 1.5,
 * Printer 1.1, DFU 1.1, CCID 1.1, Still Image 1.0, USBTMC 1.0, Bluetooth (HCI over USB).
 * Requests of a class are named only when the class of their recipient is known.
 */
#ifndef TRAWL_DECODE_USB_CONTROL_H
#define TRAWL_DECODE_USB_CONTROL_H

#include "decode/base/valuetree.h"

struct control_request {
	uint8_t type, request; /* bmRequestType, bRequest */
	uint16_t value, index, length;
};

enum setup_kind { SETUP_STANDARD, SETUP_CLASS, SETUP_VENDOR, SETUP_RESERVED };

enum setup_recipient { SETUP_DEVICE, SETUP_INTERFACE, SETUP_ENDPOINT, SETUP_OTHER };

/* What is known of the recipient; all zero if nothing is. */
struct setup_target {
	uint8_t class, subclass, protocol; /* of the interface, or of the device */
	uint16_t vendor, product;
	bool super; /* runs at SuperSpeed or faster */
};

enum usb_request {
	REQ_GET_STATUS = 0,
	REQ_CLEAR_FEATURE = 1,
	REQ_SET_FEATURE = 3,
	REQ_SET_ADDRESS = 5,
	REQ_GET_DESCRIPTOR = 6,
	REQ_SET_DESCRIPTOR = 7,
	REQ_GET_CONFIGURATION = 8,
	REQ_SET_CONFIGURATION = 9,
	REQ_GET_INTERFACE = 10,
	REQ_SET_INTERFACE = 11,
};

void setup_parse(struct control_request *s, const uint8_t bytes[8]);

static inline enum setup_kind setup_kind(const struct control_request *s)
{
	return (enum setup_kind)(s->type >> 5 & 3);
}

static inline unsigned int setup_recipient(const struct control_request *s)
{
	return s->type & 0x1f;
}

static inline bool setup_in(const struct control_request *s)
{
	return s->type & 0x80;
}

/* Appends the members of an object: bmRequestType ... wLength, request, and what they mean. */
void setup_tree(const struct control_request *s, const struct setup_target *to, struct tree *t);

/* One phrase: "GET_DESCRIPTOR string 2", "class request 0x09 value 0x0200 index 0x0000". */
void setup_brief(const struct control_request *s, const struct setup_target *to, struct out *o);

#endif
