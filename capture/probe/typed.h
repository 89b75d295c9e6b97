/* SPDX-License-Identifier: MIT */
/*
 * What of a value is recorded, by its type: a number, a text, the name of an alternative, or its
 * members.
 */
#ifndef TRAWL_CAPTURE_PROBE_TYPED_H
#define TRAWL_CAPTURE_PROBE_TYPED_H

#include "config.h"

#ifdef HAVE_DW
#include <elfutils/libdw.h>
#include <stdbool.h>

#include "capture/probe/value.h"

struct param;

/*
 * Appends to out->params the value of this type that begins `offset` bytes into q. whole: it is the
 * whole parameter.
 */
void typed_add(const struct param *q, Dwarf_Die *type, const char *name, unsigned int offset,
	       bool whole, struct dwarf_function *out);

/* The same of a bit field; bit: its first one, from the beginning of q. */
void typed_add_bits(const struct param *q, Dwarf_Die *type, const char *name, unsigned int bit,
		    unsigned int width, struct dwarf_function *out);

/* What ":string" records of an object of this type, or of the object that it points to. */
enum dwarf_text typed_text_of(Dwarf_Die *type);

/* Appends a value that is unavailable. */
void typed_add_missing(struct dwarf_function *out, const char *name, const char *why);
#endif

#endif
