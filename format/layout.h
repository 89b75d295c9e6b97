/* SPDX-License-Identifier: MIT */
/*
 * The columns of a record: what docs/format.md calls the layout of an event type.
 *
 * A field becomes one number column for each of its elements (up to LAYOUT_ELEMENTS of 1, 2, 4 or
 * 8 bytes), or one string column: text, bytes, long arrays, and everything dynamic. Number
 * columns come first, in field order, then string columns; that is also the order of coding.
 */
#ifndef TRAWL_FORMAT_LAYOUT_H
#define TRAWL_FORMAT_LAYOUT_H

#include "format/trawl.h"

enum { LAYOUT_ELEMENTS = 16 };

struct layout_column {
	uint16_t field;  /* index into the type's fields */
	uint8_t place;   /* enum trawl_place */
	uint8_t kind;    /* enum trawl_kind */
	bool string;
	bool is_signed;  /* a number whose sign bit is extended */
	bool key;        /* a TRAWL_FIELD_KEY number: constant in a class */
	uint32_t offset; /* in the record: of the number, the string or its location word */
	uint32_t size;   /* of the number or FIXED string, bytes; else 0 */
	uint32_t column_offset; /* of the number within an element of struct trawl_column */
	uint32_t stride;        /* bytes of such an element; FIXED fields only */
	uint32_t ref;    /* the earlier column that most likely predicts it; own number: none */
};

struct layout {
	uint32_t size;     /* of the fixed part, bytes */
	uint32_t ncolumns, nnumbers;
	uint32_t dynamic;  /* number of columns that are not FIXED */
	struct layout_column *columns;
};

/*
 * Makes the layout of an event type. Fields outside of the fixed part have no columns. Returns
 * false if memory runs out. layout_done() accepts a zeroed layout.
 */
bool layout_init(struct layout *l, const struct trawl_field *fields, uint32_t nfields,
		 uint32_t size);
void layout_done(struct layout *l);

/*
 * Finds the bytes of a dynamic column in a record of len bytes: sets *from to their offset and
 * returns their length, or UINT32_MAX if they are not inside the record.
 */
uint32_t layout_dynamic(const struct layout_column *c, const uint8_t *record, size_t len,
			uint32_t *from);

#endif
