/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/probe/gopieces.h"

#ifdef HAVE_DW
#include <dwarf.h>

#include "capture/probe/die.h"

enum { DEEPEST = 16 };

/* The numbers and pointers of a type, in order. */
struct leaves {
	size_t n;
	struct leaf {
		unsigned int at, size;
	} v[LOCATION_PIECES];
	bool failed; /* too many, or something else */
};

static void add_leaf(struct leaves *l, unsigned int at, unsigned int size)
{
	if (l->n == LOCATION_PIECES || !size)
		l->failed = true;
	else
		l->v[l->n++] = (struct leaf){ at, size };
}

static void add_leaves(struct leaves *l, Dwarf_Die *die, unsigned int at, int depth)
{
	Dwarf_Die type, member, of;
	unsigned int offset;
	Dwarf_Word size = 8; /* of a pointer */

	if (depth == DEEPEST || !dwarf_peel(die, &type)) {
		l->failed = true;
		return;
	}
	switch (dwarf_tag(&type)) {
	case DW_TAG_structure_type:
		if (dwarf_child(&type, &member) != 0)
			return;
		do {
			if (dwarf_tag(&member) != DW_TAG_member)
				continue;
			if (dwarf_member_at(&member, &offset) && dwarf_type_of(&member, &of))
				add_leaves(l, &of, at + offset, depth + 1);
			else
				l->failed = true;
		} while (!l->failed && dwarf_siblingof(&member, &member) == 0);
		return;
	case DW_TAG_base_type:
		l->failed |= dwarf_aggregate_size(&type, &size) != 0;
		if (dwarf_udata(&type, DW_AT_encoding, 0) == DW_ATE_complex_float) {
			size /= 2;
			add_leaf(l, at, (unsigned int)size);
			at += (unsigned int)size;
		}
		add_leaf(l, at, (unsigned int)size);
		return;
	case DW_TAG_array_type: /* of one element; longer ones are in memory */
		if (!dwarf_type_of(&type, &of) ||
		    dwarf_aggregate_size(&type, &size) != 0 || size > 8)
			l->failed = true;
		else if (size)
			add_leaves(l, &of, at, depth + 1);
		return;
	default:
		add_leaf(l, at, 8);
	}
}

/* True if each number or pointer is one of the pieces, where they are. */
static bool fits(const struct location *loc, const struct leaves *l)
{
	size_t k = 0;

	for (size_t i = 0; i < l->n; i++) {
		while (k < loc->n && loc->pieces[k].start < l->v[i].at)
			k++;
		if (k == loc->n || loc->pieces[k].start != l->v[i].at ||
		    loc->pieces[k].size != l->v[i].size)
			return false;
	}
	return true;
}

bool go_place_pieces(struct location *loc, Dwarf_Die *type)
{
	struct leaves l = { 0 };

	add_leaves(&l, type, 0, 0);
	if (l.failed)
		return false;
	if (fits(loc, &l))
		return true;
	if (l.n != loc->n)
		return false;
	for (size_t i = 0; i < l.n; i++)
		if (loc->pieces[i].size != l.v[i].size)
			return false;
	for (size_t i = 0; i < l.n; i++)
		loc->pieces[i].start = l.v[i].at;
	return true;
}

#endif
