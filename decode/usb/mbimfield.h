/* SPDX-License-Identifier: MIT */
/*
 * Fields of MBIM's information buffers (MBIM 1.0, chapter 10.3). A structure is a sequence of
 * fields, and then the data that the fields refer to by offset and length; offsets count from the
 * beginning of the structure. This is why it is no byte layout (decode/usb/bytelayout.h). Later
 * versions append fields: one that would lie in the data is not there.
 */
#ifndef TRAWL_DECODE_USB_MBIMFIELD_H
#define TRAWL_DECODE_USB_MBIMFIELD_H

#include "decode/base/namefn.h"
#include "decode/base/valuetree.h"
#include "decode/usb/codename.h"

enum mbim_kind {
	MBIM_END,
	MBIM_NUMBER,
	MBIM_SIGNED,
	MBIM_VERSION, /* a version in BCD: 0x0100 is 1.00 */
	MBIM_CODE, /* a number whose values have names */
	MBIM_BITS, /* a number whose bits have names */
	MBIM_UUID,
	MBIM_ADDRESS, /* IPv4 or IPv6, by its size */
	MBIM_BYTES,   /* `size` bytes */
	MBIM_TAIL,    /* all remaining bytes */
	MBIM_STRUCT,  /* a structure without data, in place */
	MBIM_NUMBERS, /* a count and that many numbers */
	MBIM_ITEMS,   /* a count and that many structures without data */
	/* with data elsewhere: */
	MBIM_TEXT,   /* offset and length of a text in UTF-16 */
	MBIM_DATA,   /* offset and length of bytes */
	MBIM_LENGTH, /* length and offset of bytes */
	MBIM_SIZED,  /* offset of as many bytes as the number before says */
	MBIM_AT,     /* offset of a structure without data; 0: there is none */
	MBIM_ARRAY,  /* a count, and the offset of that many structures without data */
	MBIM_REF,    /* offset and length of a structure */
	MBIM_REFS,   /* a count, and offset and length of each structure */
	MBIM_TEXTS,  /* a count, and offset and length of each text */
	MBIM_PAIRS,  /* the same for structures, as many as the structure's first number */
};

struct mbim_field {
	const char *name;
	const char *alias;  /* CODE, BITS: member that holds the names; otherwise NULL */
	const void *of;	    /* CODE, BITS: struct code_name; structures: struct mbim_field */
	uint16_t names;	    /* CODE, BITS: number of names */
	uint8_t kind, size; /* size: bytes of the field in place; 0: depends on its count */
	/* The field is there if the first number of the structure is `when` - 1; 0: always. */
	uint8_t when;
	bool secret; /* a PIN, a password, a key */
};

/*
 * Whether n bytes at p can be this structure: all data lies within it and behind its fields.
 * *exact: nothing is left between the fields and the data.
 */
bool mbim_fits(const struct mbim_field *f, const uint8_t *p, size_t n, bool *exact);

/* Append the fields of a structure that fits; secret ones only with `keys`. */
void mbim_fields_tree(const struct mbim_field *f, const uint8_t *p, size_t n, bool keys,
		      struct tree *t);
/* Appends " name value, ...". Returns whether all bytes are covered. */
bool mbim_fields_brief(const struct mbim_field *f, const uint8_t *p, size_t n, bool keys,
		       struct out *o);

/* Whether a structure that fits holds a secret. */
bool mbim_has_secret(const struct mbim_field *f, const uint8_t *p, size_t n);
/* Whether the structure has fields that are secret. f may be NULL. */
bool mbim_may_have_secret(const struct mbim_field *f);
/* Whether a structure has a member of this name, of n bytes. */
bool mbim_has_member(const struct mbim_field *f, const char *name, size_t n);
/* Calls fn for each name that such a member holds for the codes of a number. */
void mbim_member_words(const struct mbim_field *f, const char *member, decoder_name_fn *fn,
		       void *arg);

/* Writes a UUID of 16 bytes with its hyphens. */
void mbim_uuid(const uint8_t *p, char text[37]);

#endif
