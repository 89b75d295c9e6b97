/* SPDX-License-Identifier: MIT */
/*
 * Whether an object is passed and returned as its bytes, or by its address. The Itanium C++ ABI
 * (section 3.1.2.3) passes the address of an object that is not trivial for calls: its class has a
 * virtual function or base, a copy constructor, move constructor or destructor of its own, or a
 * base or member for which that is true.
 *
 * DWARF 5 states it (DW_AT_calling_convention), and clang writes that. gcc before 14 does not, but
 * lists all declared member functions, and which of them are defaulted or deleted.
 */
#ifndef TRAWL_CAPTURE_PROBE_PASSING_H
#define TRAWL_CAPTURE_PROBE_PASSING_H

#include "config.h"

#ifdef HAVE_DW
#include <elfutils/libdw.h>

enum passing { PASSED_AS_BYTES, PASSED_BY_ADDRESS, PASSING_UNKNOWN };

/* How a type without typedefs and qualifiers is passed, whatever its size. */
enum passing passing_of(Dwarf_Die *type);

#endif
#endif
