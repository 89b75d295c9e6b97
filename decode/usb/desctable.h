/* SPDX-License-Identifier: MIT */
/* Tables that describe the layouts of descriptors; descriptor.c interprets them. */
#ifndef TRAWL_DECODE_USB_DESCTABLE_H
#define TRAWL_DECODE_USB_DESCTABLE_H

#include "decode/base/decoder.h"
#include "decode/usb/chapter9.h"

enum field_how {
	FIELD_UINT,
	FIELD_HEX,
	FIELD_ID,       /* vendor and product ids */
	FIELD_BCD,      /* binary-coded decimal: 0x0210 is printed as 2.10 */
	FIELD_ENDPOINT, /* an endpoint address */
	FIELD_GUID,     /* 16 bytes */
	FIELD_BYTES,    /* all bytes up to the last `size` bytes of the descriptor */
	/* a list of elements of `size` bytes; their number is the value of field `ref` */
	FIELD_LIST,
	/* like FIELD_LIST, in hex; the size of an element is the value of field `ref2` */
	FIELD_MASKS,
	FIELD_MASK,     /* one number in hex; its size in bytes is the value of field `ref` */
	FIELD_REST,     /* elements of `size` bytes up to the end of the descriptor */
	FIELD_SKIP,     /* reserved bytes, or bytes that descriptor.c decodes */
	FIELD_SKIP_LIST, /* likewise a list, as FIELD_LIST */
};

#define FIELD_NO_REF 0xff
#define FIELDS_MAX 28

struct desc_field {
	const char *name;
	uint8_t size, how;
	uint8_t ref, ref2; /* indices of earlier fields */
};

/* A layout and the interface class that it applies to. 0xff: any class, subclass or protocol. */
struct desc_layout {
	uint8_t class, subclass, protocol;
	uint8_t type;
	int16_t subtype; /* bDescriptorSubtype; -1: the descriptor has no subtype */
	const char *name;
	/* the fields after bLength, bDescriptorType and bDescriptorSubtype */
	const struct desc_field *fields;
	uint8_t nfields;
	uint8_t first; /* value that the first field must have; 0: any */
};

/* Whether some layout has a field of this name. */
bool desc_has_field(const char *name, size_t n);
/* Calls fn for the name of each field. */
void desc_field_names(decoder_name_fn *fn, void *arg);
/* Calls fn for the name of each descriptor. */
void desc_layout_names(decoder_name_fn *fn, void *arg);

/* The layout of a descriptor that belongs to an interface of the class in *to, or NULL. */
const struct desc_layout *desc_layout(const struct descriptor *d, const struct control_target *to);

/* The layout of a BOS device capability with this bDevCapabilityType, or NULL. */
const struct desc_layout *desc_capability(uint8_t type);

#endif
