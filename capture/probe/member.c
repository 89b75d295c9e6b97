/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/probe/member.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <string.h>

#include "capture/probe/abi.h"
#include "capture/probe/die.h"

enum { DEPTH = 12, CHILDREN = 50000 };

struct member_search {
	const char *name;
	int left;        /* entries that may be looked at: bounds the time for hostile files */
	Dwarf_Die *type; /* of the member */
	unsigned int *at;
};

/* Searches exactly `depth` levels below the object, which is at `offset`. */
static bool find_at(struct member_search *s, Dwarf_Die *object, unsigned int offset, int depth)
{
	Dwarf_Die child, under;

	if (dwarf_child(object, &child) != 0)
		return false;
	do {
		const char *called = dwarf_diename(&child);

		if (!dwarf_is_part(&child) || !dwarf_type_of(&child, &under) ||
		    !dwarf_peel(&under, s->type))
			continue;
		if (!dwarf_member_at(&child, s->at))
			continue;
		*s->at += offset;
		if (!depth && called && !strcmp(called, s->name))
			return true;
		under = *s->type;
		if (depth && dwarf_is_class(&under) &&
		    find_at(s, &under, *s->at, depth - 1))
			return true;
	} while (--s->left > 0 && dwarf_siblingof(&child, &child) == 0);
	return false;
}

bool member_find(Dwarf_Die *object, const char *name, unsigned int offset, Dwarf_Die *type,
		 unsigned int *at)
{
	struct member_search s = { .name = name, .left = CHILDREN, .type = type, .at = at };

	for (int depth = 0; depth < DEPTH && s.left > 0; depth++)
		if (find_at(&s, object, offset, depth))
			return true;
	return false;
}
#endif
