/* SPDX-License-Identifier: MIT */
/* The layouts of descriptors as tables: descriptor.c interprets them. */
#ifndef TRAWL_DECODE_USB_DESCTABLE_H
#define TRAWL_DECODE_USB_DESCTABLE_H

#include "decode/usb/chapter9.h"

enum field_how {
	FIELD_UINT,
	FIELD_HEX,
	FIELD_ID,       /* vendor and product ids */
	FIELD_BCD,      /* 0x0210 is shown as 2.10 */
	FIELD_ENDPOINT, /* an endpoint address */
	FIELD_GUID,     /* 16 bytes */
	FIELD_BYTES,    /* bytes to the end of the descriptor */
	FIELD_LIST,     /* as many elements as the field `ref` says, each of `size` bytes */
	FIELD_MASKS,    /* likewise, in hex, each of as many bytes as the field `ref2` says */
	FIELD_MASK,     /* one number in hex, of as many bytes as the field `ref` says */
	FIELD_REST,     /* elements of `size` bytes to the end of the descriptor */
	FIELD_SKIP,     /* reserved bytes */
};

#define FIELD_NO_REF 0xff
#define FIELDS_MAX 28

struct desc_field {
	const char *name;
	uint8_t size, how;
	uint8_t ref, ref2; /* indices of earlier fields */
};

/* Which interface a class-specific descriptor belongs to. 0xff: any. */
struct desc_layout {
	uint8_t class, subclass, protocol;
	uint8_t type;
	int16_t subtype; /* bDescriptorSubtype; -1: the layout has none */
	const char *name;
	const struct desc_field *fields; /* after bLength, bDescriptorType and the subtype */
	uint8_t nfields;
};

/* Does some layout have a field of this name? */
bool desc_has_field(const char *name, size_t n);

/* The layout for this descriptor below an interface of this class, or NULL. */
const struct desc_layout *desc_layout(const struct descriptor *d, const struct control_target *to);

/* A binary device object store capability by bDevCapabilityType, or NULL. */
const struct desc_layout *desc_capability(uint8_t type);

#endif
