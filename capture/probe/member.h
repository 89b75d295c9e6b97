/* SPDX-License-Identifier: MIT */
/* A member of a type of C++ by its name, wherever in the type's bases and members it is. */
#ifndef TRAWL_CAPTURE_PROBE_MEMBER_H
#define TRAWL_CAPTURE_PROBE_MEMBER_H

#include "config.h"

#ifdef HAVE_DW
#include <elfutils/libdw.h>
#include <stdbool.h>

/*
 * Finds the member of that name that fewest others are around. *type: its type, without names and
 * qualifiers; *at: where it begins in the object, which begins at `offset`.
 */
bool member_find(Dwarf_Die *object, const char *name, unsigned int offset, Dwarf_Die *type,
		 unsigned int *at);

/* A class, structure or union. */
bool member_is_object(Dwarf_Die *type);

/* A part of its own of each object: a member that is not static, or a base class. */
bool member_is_part(Dwarf_Die *child);
#endif

#endif
