/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/probe/member.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <string.h>

#include "capture/probe/abi.h"

enum { DEPTH = 12, CHILDREN = 50000 };

bool member_is_object(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool member_is_part(Dwarf_Die *child)
{
	int tag = dwarf_tag(child);
	Dwarf_Attribute attr;

	return (tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
	       !dwarf_attr(child, DW_AT_external, &attr);
}

/*
 * Searches exactly `depth` levels below the object and looks at no more than *left entries, which
 * bounds the time for hostile files.
 */
static bool find_at(Dwarf_Die *object, const char *name, unsigned int offset, int depth, int *left,
		    Dwarf_Die *type, unsigned int *at)
{
	Dwarf_Die child, under;

	if (dwarf_child(object, &child) != 0)
		return false;
	do {
		const char *called = dwarf_diename(&child);

		if (!member_is_part(&child) || !dwarf_type_of(&child, &under) ||
		    !dwarf_peel(&under, type))
			continue;
		if (!dwarf_member_at(&child, at))
			continue;
		*at += offset;
		if (!depth && called && !strcmp(called, name))
			return true;
		under = *type;
		if (depth && member_is_object(&under) &&
		    find_at(&under, name, *at, depth - 1, left, type, at))
			return true;
	} while (--*left > 0 && dwarf_siblingof(&child, &child) == 0);
	return false;
}

bool member_find(Dwarf_Die *object, const char *name, unsigned int offset, Dwarf_Die *type,
		 unsigned int *at)
{
	int left = CHILDREN;

	for (int depth = 0; depth < DEPTH && left > 0; depth++)
		if (find_at(object, name, offset, depth, &left, type, at))
			return true;
	return false;
}
#endif
