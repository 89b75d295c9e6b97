/* SPDX-License-Identifier: MIT */
/*
 * Types whose values are one of several alternatives: Rust's enums with data (Option, Result, ...),
 * std::optional, and libstdc++'s std::variant. A tag in the value is the number of its alternative.
 * Rust often stores the tag in a value that the data of one alternative cannot have (a niche: a
 * null reference, a bool of 2); then the tag's numbers name all alternatives but that one.
 */
#ifndef TRAWL_CAPTURE_PROBE_VARIANT_H
#define TRAWL_CAPTURE_PROBE_VARIANT_H

#include "config.h"

#ifdef HAVE_DW
#include <elfutils/libdw.h>
#include <stdbool.h>

#include "capture/probe/types.h"

struct alternative {
	char *name;          /* "Some" */
	bool otherwise;      /* the alternative for all tag values that no other has */
	uint64_t number;     /* the tag's value, unless `otherwise` */
	bool data;           /* it has data: */
	Dwarf_Die type;
	unsigned int offset; /* of the data in the value, in bytes */
};

struct variants {
	char *ctype;         /* "enum Option<u32>" */
	bool tagged;         /* false: a single alternative and no tag */
	Dwarf_Die tag;       /* the tag's type */
	unsigned int tag_at; /* offset of the tag in the value, in bytes */
	size_t n;
	struct alternative *list;
};

/*
 * Describes the alternatives of a type in *v, to be freed with variants_free(). False if the type
 * has none; then *v is empty.
 */
bool variants_of(Dwarf_Die *type, int language, struct variants *v);
void variants_free(struct variants *v);

/* The names of the tag's values, to be freed with value_names_free(). */
struct value_names *variants_names(const struct variants *v);
#endif

#endif
