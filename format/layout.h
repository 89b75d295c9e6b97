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
	uint32_t offset; /* of the number, the string or its location word in the record */
	uint32_t size;   /* of the number; of a FIXED string, else 0 */
	uint32_t column_offset; /* of the number in an element of the public column */
	uint32_t stride;        /* of the public column, FIXED fields only */
	uint32_t ref;    /* the column that is best known before this one; own number: none */
};

struct layout {
	uint32_t size;     /* of the fixed part */
	uint32_t ncolumns, nnumbers;
	uint32_t dynamic;  /* columns that are not FIXED */
	struct layout_column *columns;
};

/*
 * Fields that do not lie inside the fixed part have no columns. Returns -1 when memory runs out.
 * layout_done() takes a zeroed layout too.
 */
int layout_init(struct layout *l, const struct trawl_field *fields, uint32_t nfields,
		uint32_t size);
void layout_done(struct layout *l);

/*
 * Where the bytes of a dynamic column are in a record: sets *from and returns their length, or
 * UINT32_MAX if they are not inside the record.
 */
uint32_t layout_dynamic(const struct layout_column *c, const uint8_t *record, size_t len,
			uint32_t *from);

#endif
