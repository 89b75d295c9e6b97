/* SPDX-License-Identifier: MIT */
/*
 * Types of which each value is one of several alternatives: enums of Rust with data, Option and
 * Result among them, std::optional and libstdc++'s std::variant. A tag in the value tells which one
 * it is. Rust often keeps the tag in a value that the data of one alternative never has (a niche: a
 * null reference, a bool of 2): then the tag's numbers name all alternatives but that one.
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
	bool otherwise;      /* it is this one where the tag has the number of no other */
	uint64_t number;     /* the tag's, if not */
	bool data;           /* it has some: */
	Dwarf_Die type;
	unsigned int offset; /* in the value */
};

struct variants {
	char *ctype;         /* "enum Option<u32>" */
	bool tagged;         /* false: there is one alternative only, and no tag */
	Dwarf_Die tag;       /* its type */
	unsigned int tag_at; /* in the value */
	size_t n;
	struct alternative *list;
};

/* False if the type is none of these. Otherwise to be freed with variants_free(). */
bool variants_of(Dwarf_Die *type, int language, struct variants *v);
void variants_free(struct variants *v);

/* The names of the tag's numbers; malloc'd. */
struct value_names *variants_names(const struct variants *v);
#endif

#endif
