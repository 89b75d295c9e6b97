/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/probe/opaque.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <string.h>

#include "capture/probe/abi.h"
#include "capture/probe/die.h"

/* How deep structures are compared that are members of structures; how many members in all. */
enum { DEPTH = 8, MEMBERS = 5000 };

bool opaque_is_declared(Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	bool declared = false;

	return dwarf_attr(type, DW_AT_declaration, &attr) &&
	       dwarf_formflag(&attr, &declared) == 0 && declared;
}

static bool same_name(Dwarf_Die *a, Dwarf_Die *b)
{
	const char *x = dwarf_diename(a), *y = dwarf_diename(b);

	return x && y ? !strcmp(x, y) : x == y;
}

static uint64_t number(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_attr(die, attribute, &attr) && dwarf_formudata(&attr, &value) == 0 ? value :
											  0;
}

/* Goes on to the next part of the object, or from NULL to the first. */
static bool next_part(Dwarf_Die *object, Dwarf_Die *child, bool *begun)
{
	bool any = *begun ? dwarf_siblingof(child, child) == 0 : dwarf_child(object, child) == 0;

	*begun = true;
	while (any && !dwarf_is_part(child))
		any = dwarf_siblingof(child, child) == 0;
	return any;
}

static bool same_object(Dwarf_Die *a, Dwarf_Die *b, int depth, int *left);

static bool same_type(Dwarf_Die *a, Dwarf_Die *b, int depth, int *left)
{
	Dwarf_Die x, y, p, q;
	bool of_x = dwarf_type_of(a, &x) && dwarf_peel(&x, &p);
	bool of_y = dwarf_type_of(b, &y) && dwarf_peel(&y, &q);

	if (!of_x || !of_y)
		return of_x == of_y;
	if (dwarf_tag(&p) != dwarf_tag(&q) || !same_name(&p, &q))
		return false;
	/* What pointers point to has a name that is looked up again. */
	if (dwarf_tag(&p) == DW_TAG_pointer_type) {
		of_x = dwarf_type_of(&p, &x) && dwarf_peel(&x, &p);
		of_y = dwarf_type_of(&q, &y) && dwarf_peel(&y, &q);
		return of_x == of_y && (!of_x || (dwarf_tag(&p) == dwarf_tag(&q) &&
						  same_name(&p, &q)));
	}
	if (dwarf_is_class(&p))
		return depth > 0 && same_object(&p, &q, depth - 1, left);
	if (dwarf_tag(&p) == DW_TAG_array_type && !same_type(&p, &q, depth, left))
		return false;
	return number(&p, DW_AT_encoding) == number(&q, DW_AT_encoding) &&
	       dwarf_aggregate_size(&p, &(Dwarf_Word){ 0 }) ==
		       dwarf_aggregate_size(&q, &(Dwarf_Word){ 0 });
}

static bool same_member(Dwarf_Die *a, Dwarf_Die *b, int depth, int *left)
{
	unsigned int at = 0, at_b = 0;
	bool placed = dwarf_member_at(a, &at), placed_b = dwarf_member_at(b, &at_b);

	return same_name(a, b) && placed == placed_b && at == at_b &&
	       number(a, DW_AT_bit_size) == number(b, DW_AT_bit_size) &&
	       number(a, DW_AT_data_bit_offset) == number(b, DW_AT_data_bit_offset) &&
	       same_type(a, b, depth, left);
}

/* Have both the same size, and the same members at the same places? */
static bool same_object(Dwarf_Die *a, Dwarf_Die *b, int depth, int *left)
{
	bool begun_a = false, begun_b = false;
	Dwarf_Die x, y;

	if (number(a, DW_AT_byte_size) != number(b, DW_AT_byte_size))
		return false;
	for (;;) {
		bool more_a = next_part(a, &x, &begun_a), more_b = next_part(b, &y, &begun_b);

		if (!more_a || !more_b)
			return more_a == more_b;
		if (--*left < 0 || !same_member(&x, &y, depth, left))
			return false;
	}
}

static const char *unit_name(Dwarf_Die *type)
{
	Dwarf_Die unit;
	const char *name = dwarf_cu_die(type->cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) ?
				   dwarf_diename(&unit) : NULL, *slash;

	slash = name ? strrchr(name, '/') : NULL;
	return slash ? slash + 1 : name ? name : "?";
}

/* Finds the unit's own definition of the type. */
static bool defined_in(Dwarf_Die *unit, Dwarf_Die *type, const char *name, Dwarf_Die *found)
{
	if (dwarf_child(unit, found) != 0)
		return false;
	do {
		const char *its = dwarf_tag(found) == dwarf_tag(type) ? dwarf_diename(found) : NULL;

		if (its && !strcmp(its, name) && !opaque_is_declared(found))
			return true;
	} while (dwarf_siblingof(found, found) == 0);
	return false;
}

bool opaque_define(Dwarf_Die *type, const char **one, const char **other)
{
	Dwarf *dw = dwarf_cu_getdwarf(type->cu);
	const char *name = dwarf_diename(type);
	Dwarf_Off off = 0, next;
	Dwarf_Die first;
	bool known = false;
	size_t header;

	for (; name && dwarf_nextcu(dw, off, &next, &header, NULL, NULL, NULL) == 0; off = next) {
		Dwarf_Die unit, found;
		int left = MEMBERS;

		if (!dwarf_offdie(dw, off + header, &unit) ||
		    !defined_in(&unit, type, name, &found))
			continue;
		if (!known) {
			first = found;
			known = true;
		} else if (!same_object(&first, &found, DEPTH, &left)) {
			*one = unit_name(&first);
			*other = unit_name(&found);
			return false;
		}
	}
	if (known)
		*type = first;
	return true;
}

#endif
