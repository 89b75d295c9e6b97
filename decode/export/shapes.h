/* SPDX-License-Identifier: MIT */
/*
 * The fields of a page's events (html.h), as columns. Events with the same name and the same fields
 * have one shape; each field of a shape is one column of text, its values as JSON, one a line.
 */
#ifndef TRAWL_DECODE_EXPORT_SHAPES_H
#define TRAWL_DECODE_EXPORT_SHAPES_H

#include "decode/base/decoder.h"
#include "decode/export/intern.h"
#include "decode/export/pageparts.h"

struct shape;

struct shapes {
	struct intern names, sources; /* of events */
	struct intern fields; /* a shape's event, source and fields, with tabs between them */
	struct shape *list;
	size_t n;             /* equals fields.n unless memory ran out */
	struct out key;       /* scratch for the current event */
	uint64_t memory;      /* limit, bytes */
	/* Bytes of the columns: total, not yet compressed, after compression. */
	uint64_t text, waiting, packed;
	bool failed;          /* out of memory, or too many shapes */
};

/* A page may use `memory` bytes. */
void shapes_init(struct shapes *all, uint64_t memory);
void shapes_free(struct shapes *all);
/*
 * Appends the values of an event's fields to their columns. `json` has the members of its JSON,
 * without braces. Returns the number of the event's shape.
 */
uint32_t shapes_take(struct shapes *all, const struct out *json, const struct decoder *d,
		     void *state, const struct item *it);
/* Whether the page has as much text as memory and browsers allow. */
bool shapes_full(const struct shapes *all);
/* Appends `,"shapes":[...]`: the names of the fields, and how the search reads their values. */
void shapes_json(const struct shapes *all, struct out *o);
/* Writes the columns as pieces of the page. Returns false if memory runs out. */
bool shapes_write(struct shapes *all, struct out *out);

#endif
