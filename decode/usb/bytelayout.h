/* SPDX-License-Identifier: MIT */
/*
 * Byte layouts: sequences of fields described by strings, for classes with dozens of parameter
 * blocks and data sets. Numbers are little-endian but for one kind. A layout is a list of names and
 * codes that ends with NULL:
 *
 *  {"status", "e1S", "status_name", "handle", "x2", NULL}
 *
 *  uN sN xN   a number of N bytes: unsigned, signed, shown in hex
 *  eNK        a number of N bytes whose values have names of kind K; a third string follows,
 *             the name of the member that holds the value's name
 *  fNK        a number of N bytes in hex whose bits have names of kind K; a third string follows,
 *             the name of the list of the bits that are set
 *  lNK        a u32 count and that many numbers of N bytes; named by kind K unless K is a blank
 *  mN         a number of N bytes, the most significant first
 *  -N         N bytes that are not shown; the name is ""
 *  a          a Bluetooth device address
 *  tN bN      N bytes as text that ends at its first NUL, or as bytes; N = 0: all remaining bytes
 *  n          as many bytes as the number in the field before says
 *  kN kNu     a secret: a key or PIN of N bytes, or a secret number of N bytes
 *  p          a PTP string: a u8 count of UTF-16 units, including the NUL, and these units
 *
 * In the example, byte 0 becomes "status" and, if its value has a name, "status_name"; bytes 1 and
 * 2 become "handle" in hex.
 */
#ifndef TRAWL_DECODE_USB_BYTELAYOUT_H
#define TRAWL_DECODE_USB_BYTELAYOUT_H

#include "decode/base/namefn.h"
#include "decode/base/valuetree.h"

typedef const char *const *byte_layout;

/* Returns the name of value v, or of bit v, of kind K, or NULL. */
typedef const char *byte_layout_name_fn(char kind, uint64_t v);

/*
 * Appends one member per field to the open object; stops at the first field that is not complete.
 */
void byte_layout_tree(byte_layout fields, byte_layout_name_fn *name, const uint8_t *p, size_t n,
		      struct tree *t);

/* Appends " name value, ...". Returns whether the fields cover all n bytes. */
bool byte_layout_brief(byte_layout fields, byte_layout_name_fn *name, const uint8_t *p, size_t n,
		       struct out *o);

/* Returns the number of bytes before the first secret field: n if there is none. */
size_t byte_layout_clear(byte_layout fields, const uint8_t *p, size_t n);

/* Whether the layout has a member of this name. */
bool byte_layout_has(byte_layout fields, const char *name, size_t n);
/*
 * Calls fn for each name that the member `alias` holds for the values of a number. Only for numbers
 * of one or two bytes.
 */
void byte_layout_words(byte_layout fields, byte_layout_name_fn *name, const char *alias,
		       decoder_name_fn *fn, void *arg);

#endif
