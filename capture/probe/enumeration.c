/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/probe/enumeration.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <string.h>

#include "capture/probe/abi.h"
#include "capture/probe/die.h"
#include "capture/probe/names.h"
#include "capture/sys/alloc.h"

uint64_t enumeration_number(uint64_t value, Dwarf_Word size, bool is_signed)
{
	unsigned int unused = size && size < 8 ? 64 - 8 * (unsigned int)size : 0;

	return is_signed ? (uint64_t)((int64_t)(value << unused) >> unused) :
			   value << unused >> unused;
}

struct value_names *enumeration_names(Dwarf_Die *from, bool is_signed)
{
	struct value_names *names;
	Dwarf_Die type, child;
	Dwarf_Word size = 0, value;

	if (!dwarf_peel(from, &type) || dwarf_tag(&type) != DW_TAG_enumeration_type ||
	    dwarf_child(&type, &child) != 0)
		return NULL;
	dwarf_aggregate_size(&type, &size);
	names = xcalloc(1, sizeof(*names));
	do {
		const char *name = dwarf_diename(&child);
		Dwarf_Attribute attr;

		if (dwarf_tag(&child) != DW_TAG_enumerator || !name ||
		    dwarf_formudata(dwarf_attr(&child, DW_AT_const_value, &attr), &value) != 0)
			continue;
		value_names_add(names, name, enumeration_number(value, size, is_signed));
	} while (names->n < VALUE_NAMES_MAX && dwarf_siblingof(&child, &child) == 0);
	names->is_signed = is_signed;
	return names;
}
#endif
