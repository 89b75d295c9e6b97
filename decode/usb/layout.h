/* SPDX-License-Identifier: MIT */
/*
 * Layouts: little-endian fields one after the other, described by strings, for parameters and data
 * sets of which a class has dozens. A layout is a list of names and codes that ends with NULL:
 *
 *	{"status", "e1S", "status_name", "handle", "x2", NULL}
 *
 *	uN sN xN   a number of N bytes: unsigned, signed, shown in hex
 *	eNK        a number of N bytes with a name of kind K; the name's own name follows
 *	lNK        a u32 count and so many numbers of N bytes, with names of kind K if that is no blank
 *	a          a Bluetooth address
 *	tN bN      N bytes as a text that ends at its first NUL, as bytes; 0: all that is left
 *	kN kNu     a key or PIN of N bytes, or a number of N bytes that is one
 *	p          a text of PTP: a u8 count of UTF-16 units with their NUL
 */
#ifndef TRAWL_DECODE_USB_LAYOUT_H
#define TRAWL_DECODE_USB_LAYOUT_H

#include "decode/base/valuetree.h"

typedef const char *const *layout;

/* The name of a number of kind K, or NULL. */
typedef const char *layout_name_fn(char kind, uint64_t v);

/* Appends members; stops at the first field that is not all there. */
void layout_tree(layout fields, layout_name_fn *name, const uint8_t *p, size_t n, struct tree *t);

/* Appends " name value, …"; returns whether the fields tell of all bytes. */
bool layout_brief(layout fields, layout_name_fn *name, const uint8_t *p, size_t n, struct out *o);

/* How many of n bytes stand in front of the first key: n if the layout has none. */
size_t layout_clear(layout fields, const uint8_t *p, size_t n);

/* Whether the layout has a member of this name. */
bool layout_has(layout fields, const char *name, size_t n);

#endif
