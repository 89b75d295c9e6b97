/* SPDX-License-Identifier: MIT */
/* Attributes of DWARF's entries (DIEs). */
#ifndef TRAWL_CAPTURE_PROBE_DIE_H
#define TRAWL_CAPTURE_PROBE_DIE_H

#include "config.h"

#ifdef HAVE_DW
#include <elfutils/libdw.h>
#include <stdbool.h>

/*
 * Fills *type with the type that DW_AT_type of the entry, or of its abstract origin, refers to.
 * False if there is none, which stands for void.
 */
bool dwarf_type_of(Dwarf_Die *die, Dwarf_Die *type);

/*
 * Replaces a declaration by the type it refers to in a type unit (-fdebug-types-section). False if
 * it is no such declaration.
 */
bool dwarf_elsewhere(Dwarf_Die *die);

/* Fills *type with the type below all typedefs, qualifiers and ranges. False if that is void. */
bool dwarf_peel(const Dwarf_Die *from, Dwarf_Die *type);

/*
 * The value of a numeric attribute of the entry or its abstract origin; `otherwise` if it is
 * missing, not numeric or above 32 bits.
 */
unsigned int dwarf_udata(Dwarf_Die *die, unsigned int name, unsigned int otherwise);

/* A walk over the parameters of a function, also over those in packs (T... t). Begins as { 0 }. */
struct parameters {
	Dwarf_Die child, packed;
	bool begun, in_pack;
};

/* Fills *die with the next parameter. False if there is none left. */
bool parameters_next(struct parameters *p, Dwarf_Die *function, Dwarf_Die *die);

/* True for a struct, class or union. */
bool dwarf_is_class(Dwarf_Die *type);

/* The compiler that made a unit, with its options, valid while the file is open; "" if unsaid. */
const char *dwarf_producer(Dwarf_Die *unit);

/* True for a part of each object: a non-static member, or a base class. */
bool dwarf_is_part(Dwarf_Die *child);

/*
 * Fills *at with a member's or base class's offset in its object, in bytes. False if it is known
 * only when the program runs, as of virtual base classes.
 */
bool dwarf_member_at(Dwarf_Die *member, unsigned int *at);

#endif
#endif
