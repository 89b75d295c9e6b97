/* SPDX-License-Identifier: MIT */
/* Finds a member of a C++ type by name, also in its base classes and in members of members. */
#ifndef TRAWL_CAPTURE_PROBE_MEMBER_H
#define TRAWL_CAPTURE_PROBE_MEMBER_H

#include "config.h"

#ifdef HAVE_DW
#include <elfutils/libdw.h>
#include <stdbool.h>

/*
 * Finds the least nested member of this name. object begins at `offset` in the value. *type: the
 * member's type without typedefs and qualifiers; *at: its offset in the value, in bytes. False if
 * there is none.
 */
bool member_find(Dwarf_Die *object, const char *name, unsigned int offset, Dwarf_Die *type,
		 unsigned int *at);
#endif

#endif
