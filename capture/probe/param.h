/* SPDX-License-Identifier: MIT */
/*
 * Finds where the parameters of a function are, at its first instruction or at an address inside
 * it.
 */
#ifndef TRAWL_CAPTURE_PROBE_PARAM_H
#define TRAWL_CAPTURE_PROBE_PARAM_H

#include "config.h"

#ifdef HAVE_DW
#include "capture/probe/paramargloc.h"
#include "capture/probe/value.h"

/* Appends all parameters to out->params. */
void param_find_all(struct param_finder *f, struct dwarf_function *out);

/*
 * Appends a return value of this type to out->params, as if it were a parameter: one value, or
 * several if it is shown by its members. *loc is where it is just before the function returns; NULL
 * if unknown, and then why has the reason.
 */
void param_add_result(struct param_finder *f, Dwarf_Die *type, const char *name,
		      const struct location *loc, const char *why, struct dwarf_function *out);

/* A part of an object. */
struct param_part {
	Dwarf_Die type;
	unsigned int offset;     /* bytes in the object */
	unsigned int bit, width; /* of a bit field: bits from `offset` on; width 0: none */
	bool whole;              /* it is the whole parameter */
};

/* Appends a part to out->params, by its members if its type is shown by them. */
void param_add_part(const struct param *q, const struct param_part *part, const char *name,
		    struct dwarf_function *out);
#endif

#endif
