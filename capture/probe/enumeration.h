/* SPDX-License-Identifier: MIT */
/* The names of an enumeration's values. */
#ifndef TRAWL_CAPTURE_PROBE_ENUMERATION_H
#define TRAWL_CAPTURE_PROBE_ENUMERATION_H

#include "config.h"

#ifdef HAVE_DW
#include <elfutils/libdw.h>
#include <stdbool.h>

#include "capture/probe/types.h"

/* A constant of so many bytes, which DWARF may have shorter, and without its sign. */
uint64_t enumeration_number(uint64_t value, Dwarf_Word size, bool is_signed);

/* malloc'd, with the names; NULL where the type is no enumeration with names. */
struct value_names *enumeration_names(Dwarf_Die *type, bool is_signed);
#endif

#endif
