/* SPDX-License-Identifier: MIT */
/* What a function returns, and where it is just before its ret instruction. */
#ifndef TRAWL_CAPTURE_PROBE_RETVAL_H
#define TRAWL_CAPTURE_PROBE_RETVAL_H

#include "config.h"

#ifdef HAVE_DW
#include "capture/probe/abi.h"
#include "capture/probe/elf.h"
#include "capture/probe/value.h"

/*
 * Describes what `fn` returns by its type, the conventions of its unit's language and, in `symbol`,
 * the name and binding of its code; NULL if it has no symbol. Takes the register from *abi that
 * the caller passes the address for a result in memory in.
 */
void retval_describe(Dwarf_Die *fn, Dwarf_Die *unit, const struct elf_symbol *symbol,
		     struct dwarf_function *out, struct abi *abi);
#endif

#endif
