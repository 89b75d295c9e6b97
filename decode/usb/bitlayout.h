/* SPDX-License-Identifier: MIT */
/*
 * Bit layouts: fields at fixed places of the structures of SCSI, written as its standards draw
 * them, by byte and bit. Numbers of several bytes are big-endian.
 */
#ifndef TRAWL_DECODE_USB_BITLAYOUT_H
#define TRAWL_DECODE_USB_BITLAYOUT_H

#include "decode/base/valuetree.h"

struct bit_field {
	const char *name;
	uint8_t byte;
	uint8_t bit;   /* lowest bit of the field; 0 for whole bytes */
	uint8_t width; /* in bits: 1 is a flag; 8, 16, 24, 32 or 64 are whole bytes */
};

/* ends with a field without a name */
typedef const struct bit_field *bit_layout;

/* A layout, and its fields by their size. */
#define FIELDS(name, ...) static const struct bit_field name[] = {__VA_ARGS__, {0}}
#define FLAG(name, byte, bit) {name, byte, bit, 1}
#define BITS(name, byte, bit, width) {name, byte, bit, width}
#define BYTE(name, byte) {name, byte, 0, 8}
#define WORD(name, byte) {name, byte, 0, 16}
#define TRIPLE(name, byte) {name, byte, 0, 24}
#define LONG(name, byte) {name, byte, 0, 32}

/* Appends one member per field that is complete in the n bytes at p. */
void bit_layout_tree(bit_layout fields, const uint8_t *p, size_t n, struct tree *t);

/*
 * Appends the names of the flags that are set and of the numbers of less than a byte that are not
 * 0, each after a blank.
 */
void bit_layout_brief(bit_layout fields, const uint8_t *p, size_t n, struct out *o);

/* Whether a field has this name, of n characters. */
bool bit_layout_has(bit_layout fields, const char *name, size_t n);

#endif
