/* SPDX-License-Identifier: MIT */
/* Control requests and descriptors by number. Source: USB 2.0 and 3.2, chapter 9. */
#ifndef TRAWL_DECODE_USB_CHAPTER9_H
#define TRAWL_DECODE_USB_CHAPTER9_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct control_request {
	uint8_t type, request; /* bmRequestType, bRequest */
	uint16_t value, index, length;
};

enum control_kind { SETUP_STANDARD, SETUP_CLASS, SETUP_VENDOR, SETUP_RESERVED };

enum control_recipient { SETUP_DEVICE, SETUP_INTERFACE, SETUP_ENDPOINT, SETUP_OTHER };

/*
 * Whether an interface of the class wireless controller or miscellaneous speaks RNDIS. Source:
 * USB-IF's list of class codes.
 */
static inline bool is_rndis_class(uint8_t class, uint8_t subclass, uint8_t protocol)
{
	return (class == 0xe0 && subclass == 0x01 && protocol == 0x03) ||
	       (class == 0xef && subclass == 0x04 && protocol == 0x01);
}

/* What is known of the recipient of a control request; all zero if nothing is known. */
struct control_target {
	/* of the interface, or of the device for requests to the device */
	uint8_t class, subclass, protocol;
	uint16_t vendor, product;
	bool super; /* the device runs at SuperSpeed or faster */
	bool guessed; /* the class was guessed from the form of the request */
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

static inline enum control_kind control_kind(const struct control_request *s)
{
	return (enum control_kind)(s->type >> 5 & 3);
}

static inline unsigned int control_recipient(const struct control_request *s)
{
	return s->type & 0x1f;
}

/*
 * Whether a standard request is a decision of the driver and therefore part of the session; other
 * standard requests are enumeration.
 */
static inline bool control_is_decision(const struct control_request *s)
{
	return s->request == REQ_SET_CONFIGURATION || s->request == REQ_SET_INTERFACE ||
	       (s->request == REQ_CLEAR_FEATURE && control_recipient(s) == SETUP_ENDPOINT);
}

static inline bool control_in(const struct control_request *s)
{
	return s->type & 0x80;
}

enum descriptor_type {
	DESC_DEVICE = 0x01,
	DESC_CONFIG = 0x02,
	DESC_STRING = 0x03,
	DESC_INTERFACE = 0x04,
	DESC_ENDPOINT = 0x05,
	DESC_QUALIFIER = 0x06,
	DESC_OTHER_SPEED = 0x07,
	DESC_IAD = 0x0b,
	DESC_BOS = 0x0f,
	DESC_CAPABILITY = 0x10,
	DESC_HID = 0x21,
	DESC_HID_REPORT = 0x22,
	DESC_CS_INTERFACE = 0x24,
	DESC_CS_ENDPOINT = 0x25,
	DESC_HUB = 0x29,
	DESC_SS_HUB = 0x2a,
	DESC_SS_COMPANION = 0x30,
};

struct descriptor {
	const uint8_t *p;
	size_t room;    /* bytes present at p: bLength, or fewer where the data ends earlier */
	uint8_t length; /* bLength as the device sent it */
	uint8_t type;   /* bDescriptorType */
};

#endif
