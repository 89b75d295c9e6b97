/* SPDX-License-Identifier: MIT */
/*
 * Fields of the messages of an unknown protocol: how each byte changes from message to message
 * among messages of one type.
 */
#ifndef TRAWL_DECODE_USB_BYTEFIELD_H
#define TRAWL_DECODE_USB_BYTEFIELD_H

#include "decode/usb/checksum.h"

enum {
	FIELD_POSITIONS = 256, /* bytes at the start of a message that are examined individually */
	FIELD_VALUES = 4,      /* values listed for an enumeration */
	FIELDS_MAX_OF_TYPE = 96,
};

enum bytefield_kind {
	BYTES_CONSTANT,
	BYTES_CHECKSUM,
	BYTES_LENGTH,   /* the message's length minus `offset` */
	BYTES_COUNTER,  /* the previous value plus `step` */
	BYTES_ECHO,     /* a copy of byte `from` of the request, plus `change` */
	BYTES_RISING,   /* never decreases: a time stamp, a total */
	BYTES_NUMBER,   /* changes slowly from message to message */
	BYTES_FEW,      /* one of a few values */
	BYTES_TEXT,
	BYTES_VARY,
};

struct bytefield {
	enum bytefield_kind kind;
	uint32_t at, width;
	bool big;               /* big endian; only meaningful for fields of two or more bytes */
	/* number of distinct values; counts at most 256 for fields of several bytes */
	uint32_t values;
	uint64_t min, max;      /* smallest and largest value of a numeric field */
	int64_t step;           /* COUNTER */
	uint32_t kept, steps;   /* COUNTER: how many of the `steps` steps have the size `step` */
	/* COUNTER: counts over all messages of the direction, not only those of this type */
	bool common;
	uint32_t shift;         /* COUNTER: the counter occupies the bits from this one up */
	int64_t offset;         /* LENGTH */
	uint32_t from;          /* ECHO: offset of the byte in the request */
	int change;             /* ECHO: difference from the byte of the request */
	uint8_t few[FIELD_VALUES];
};

/* What holds for all messages of one direction; determined before single types are examined. */
struct direction {
	struct checksum checksum;
	bool has_checksum;
	bool large;               /* the checksum was found in messages of 512 bytes or more */
	/* Bytes that count over all messages, in their bits from `shift` up. */
	struct {
		bool is;
		uint8_t shift;
		int8_t step;
		uint32_t kept, steps; /* how many of the `steps` steps have the size `step` */
	} counters[FIELD_POSITIONS];
	/* the field that holds the message's length; valid if has_length */
	struct bytefield length;
	bool has_length;
	struct { bool is; uint16_t from; int16_t change; } echoes[FIELD_POSITIONS];
};

/*
 * Finds the bytes that count up over all messages of a direction, and the length field. The samples
 * are in the order in which the messages were sent.
 */
void direction_analyse(struct direction *d, const struct sample *samples, size_t n);

/*
 * Determines the fields of messages of one type, in order of their offsets, from n >= 1 samples.
 * Adjacent bytes that are both constant or both vary become one field. Bytes at offset
 * FIELD_POSITIONS and beyond are not examined. Returns the number of fields, at most
 * FIELDS_MAX_OF_TYPE.
 */
size_t bytefields(const struct direction *d, const struct sample *samples, size_t n,
		  struct bytefield *fields);

/* Appends a description such as "[3..4] number, low byte first, 0 to 1500", without a newline. */
void bytefield_text(const struct bytefield *f, const struct direction *d, struct out *o);
const char *bytefield_name(enum bytefield_kind kind);

#endif
