/* SPDX-License-Identifier: MIT */
/*
 * Fields of the messages of an unknown protocol: what each byte of messages of one type does from
 * message to message.
 */
#ifndef TRAWL_DECODE_USB_BYTEFIELD_H
#define TRAWL_DECODE_USB_BYTEFIELD_H

#include "decode/usb/checksum.h"

enum {
	FIELD_POSITIONS = 256, /* bytes at the front of a message that are looked at one by one */
	FIELD_VALUES = 4,      /* values of an enumeration that are listed */
	FIELDS_MAX_OF_TYPE = 96,
};

enum bytefield_kind {
	BYTES_CONSTANT,
	BYTES_CHECKSUM,
	BYTES_LENGTH,   /* the message's length less `offset` */
	BYTES_COUNTER,  /* each is the one before plus `step` */
	BYTES_ECHO,     /* of byte `from` of the request */
	BYTES_RISING,   /* never falls: a time stamp, a total */
	BYTES_NUMBER,   /* changes slowly from message to message */
	BYTES_FEW,      /* one of a few values */
	BYTES_TEXT,
	BYTES_VARY,
};

struct bytefield {
	enum bytefield_kind kind;
	uint32_t at, width;
	bool big;               /* of two bytes and more: the first is the highest */
	uint32_t values;        /* distinct ones, at most 256 for several bytes */
	uint64_t min, max;      /* of numbers */
	int64_t step;           /* COUNTER */
	uint32_t kept, steps;   /* COUNTER: how many of the steps are as said */
	bool common;            /* COUNTER: over all messages of the direction */
	uint32_t shift;         /* COUNTER: in the bits from this on */
	int64_t offset;         /* LENGTH */
	uint32_t from;          /* ECHO */
	int change;             /* ECHO: what is added */
	uint8_t few[FIELD_VALUES];
};

/* What is known of all messages of a direction before one type is looked at. */
struct direction {
	struct checksum checksum;
	bool has_checksum;
	bool large;               /* it is of messages of 512 bytes and more */
	/* Bytes that count over all messages: in their bits from `shift` on. */
	struct {
		bool is;
		uint8_t shift;
		int8_t step;
		uint32_t kept, steps; /* how many of the steps are as said */
	} counters[FIELD_POSITIONS];
	struct bytefield length;  /* of the message, if has_length */
	bool has_length;
	struct { bool is; uint16_t from; int16_t change; } echoes[FIELD_POSITIONS];
};

/* Finds bytes that count up over all messages, in their order, and their length. */
void direction_look(struct direction *d, const struct sample *samples, size_t n);

/*
 * The fields of messages of one type, in their order: n >= 1 samples. Neighbours that are both
 * constant, or both vary, are one field. Positions from FIELD_POSITIONS on are not looked at.
 * Returns how many there are, at most FIELDS_MAX_OF_TYPE.
 */
size_t bytefields(const struct direction *d, const struct sample *samples, size_t n,
		  struct bytefield *fields);

/* "[3..4] number, low byte first, 0 to 1500", without a newline. */
void bytefield_text(const struct bytefield *f, const struct direction *d, struct out *o);
const char *bytefield_name(enum bytefield_kind kind);

#endif
