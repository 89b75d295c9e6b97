/* SPDX-License-Identifier: MIT */
/* The enumerators of a DWARF enumeration type. */
#ifndef TRAWL_CAPTURE_PROBE_ENUMERATION_H
#define TRAWL_CAPTURE_PROBE_ENUMERATION_H

#include "config.h"

#ifdef HAVE_DW
#include <elfutils/libdw.h>
#include <stdbool.h>

#include "capture/probe/types.h"

/*
 * Extends an enumerator's value of `size` bytes to 64 bits. DWARF may store it in fewer bytes and
 * without its sign.
 */
uint64_t enumeration_number(uint64_t value, Dwarf_Word size, bool is_signed);

/*
 * The enumerators of the type, to be freed with value_names_free(); NULL if it is no enumeration
 * with enumerators.
 */
struct value_names *enumeration_names(Dwarf_Die *type, bool is_signed);
#endif

#endif
