/* SPDX-License-Identifier: MIT */
/*
 * Checksums: which bytes of the messages of an unknown protocol are a function of the others.
 *
 * Tried are the sum of bytes, its complements, exclusive or, and CRCs of 8, 16 and 32 bits; over
 * all bytes before the checksum or after it, with some left out at the front. What a CRC starts
 * from need not be known: of messages of one length, the difference from the stored value is the
 * same.
 *
 * A checksum is reported only if it holds in every message and if chance would not explain it: each
 * other message in which it holds is worth as many bits as the checksum has, and 48 are
 * asked for.
 */
#ifndef TRAWL_DECODE_USB_CHECKSUM_H
#define TRAWL_DECODE_USB_CHECKSUM_H

#include "decode/base/output.h"

struct sample {
	const uint8_t *p;
	uint32_t length;
};

enum checksum_place {
	PLACE_START,   /* `at` bytes from the start */
	PLACE_END,     /* `at` bytes from the end */
	PLACE_LENGTH,  /* at the number in byte `at`, plus `plus` */
	PLACE_NONZERO, /* the last bytes that are not the zeros of the padding */
};

/* How much of it is known. Of a constant byte in front, a CRC may take its initial value. */
enum checksum_known {
	CHECKSUM_RELATIVE, /* but for a constant, or the initial value of a CRC */
	CHECKSUM_NAMED,    /* all: an initial value or a final change has a name */
	CHECKSUM_PLAIN,    /* all, and there is neither */
};

struct checksum_kind;

struct checksum {
	const struct checksum_kind *kind;
	enum checksum_place place;
	uint32_t at, plus;
	uint32_t from;        /* the first byte that it is of */
	bool after;          /* it is of all bytes after it; else of those before it */
	bool big;             /* its first byte is the highest */
	enum checksum_known known;
	uint32_t constant;    /* what remains between it and the stored value */
	const char *name;     /* of the CRC with its initial value, where that has one; else NULL */
};

/* Finds a checksum that holds in all n samples. False: none, or too little to know it by. */
bool checksum_find(const struct sample *samples, size_t n, struct checksum *found);

/* Its place and width in one message; false if it has none. */
bool checksum_place(const struct checksum *c, const struct sample *s, uint32_t *at,
		    uint32_t *width);

/* "CRC-16/MODBUS, low byte first, of [0..5]" */
void checksum_text(const struct checksum *c, struct out *o);

#endif
