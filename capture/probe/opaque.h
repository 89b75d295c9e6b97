/* SPDX-License-Identifier: MIT */
/* The definition of a type of C that a unit only declares: "struct item;". */
#ifndef TRAWL_CAPTURE_PROBE_OPAQUE_H
#define TRAWL_CAPTURE_PROBE_OPAQUE_H

#include "config.h"

#ifdef HAVE_DW
#include <elfutils/libdw.h>
#include <stdbool.h>

bool opaque_is_declared(Dwarf_Die *type);

/*
 * Replaces the type by the definition of the same name in another unit, outside of namespaces, as C
 * has it. Leaves it where there is none. False if units define different types of this name; one[]
 * and other[] are the names of two such units.
 */
bool opaque_define(Dwarf_Die *type, const char **one, const char **other);
#endif

#endif
