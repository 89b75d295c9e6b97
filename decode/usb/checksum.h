/* SPDX-License-Identifier: MIT */
/*
 * Checksums: finds bytes of the messages of an unknown protocol that are computed from the other
 * bytes.
 *
 * Candidates are the sum of bytes, its complements, exclusive or, and CRCs of 8, 16 and 32 bits;
 * computed over all bytes before the checksum or over all bytes after it, optionally without the
 * first few. The initial value of a CRC need not be known: for messages of equal length, a
 * different initial value changes the CRC by the same constant.
 *
 * A checksum is reported only if it is right in every message and chance is an unlikely
 * explanation. Evidence is each further message whose covered bytes and whose checksum both are
 * new: it counts as many bits as the checksum has bits that vary. 48 bits are required, and the
 * width of the checksum more if a sum starts from a value that is not known.
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
	PLACE_LENGTH,  /* at the number that byte `at` holds, plus `plus` */
	PLACE_NONZERO, /* the last bytes that are not zero padding */
};

/*
 * How completely the function is known. If the messages begin with a constant byte, a CRC over that
 * byte and a CRC with another initial value give the same values.
 */
enum checksum_known {
	CHECKSUM_RELATIVE, /* up to an unknown constant, or the unknown initial value of a CRC */
	CHECKSUM_NAMED,    /* completely; its initial value or final XOR belongs to a named CRC */
	CHECKSUM_PLAIN,    /* completely; it has neither an initial value nor a final XOR */
};

struct checksum_kind;

struct checksum {
	const struct checksum_kind *kind;
	enum checksum_place place;
	uint32_t at, plus;
	uint32_t from;        /* offset of the first byte that the checksum covers */
	bool after;          /* covers all bytes after itself; otherwise those before it */
	bool around;         /* covers all bytes before and after itself */
	bool big;             /* stored big endian */
	enum checksum_known known;
	uint32_t constant;    /* difference between the computed and the stored value */
	const char *name;     /* name of the CRC with this initial value; NULL: none */
};

/*
 * Finds a checksum that is right in all n samples. Returns false if there is none, or if the
 * samples are too few to be sure.
 */
bool checksum_find(const struct sample *samples, size_t n, struct checksum *found);

/*
 * Stores the offset and width in bytes of the checksum in one message. Returns false if the message
 * is too short to hold it.
 */
bool checksum_place(const struct checksum *c, const struct sample *s, uint32_t *at,
		    uint32_t *width);

/* Appends a description such as "CRC-16/MODBUS, low byte first, of [0..5]". */
void checksum_text(const struct checksum *c, struct out *o);

#endif
