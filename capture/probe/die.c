/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/probe/die.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <stdint.h>

enum { MAX_DEPTH = 16 /* of typedefs and qualifiers */ };

bool dwarf_type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type);
}

bool dwarf_elsewhere(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;

	if (!dwarf_attr(die, DW_AT_signature, &attr) || !dwarf_formref_die(&attr, &type))
		return false;
	*die = type;
	return true;
}

/*
 * Fills *of with the type of which a type of numbers is a range (Ada, Pascal). False if its values
 * are stored in another way: in fewer bytes, or relative to the first one.
 */
static bool range_of(Dwarf_Die *range, Dwarf_Die *of)
{
	unsigned int size = dwarf_udata(range, DW_AT_byte_size, 0);

	return !dwarf_hasattr_integrate(range, DW_AT_GNU_bias) && dwarf_type_of(range, of) &&
	       (!size || dwarf_udata(of, DW_AT_byte_size, 0) == size);
}

bool dwarf_peel(const Dwarf_Die *from, Dwarf_Die *type)
{
	Dwarf_Die of;

	*type = *from;
	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		if (dwarf_elsewhere(type))
			continue;
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!dwarf_type_of(type, type))
				return false; /* const void */
			break;
		case DW_TAG_subrange_type:
			if (!range_of(type, &of))
				return true;
			*type = of;
			break;
		default:
			return true;
		}
	}
	return false;
}

unsigned int dwarf_udata(Dwarf_Die *die, unsigned int name, unsigned int otherwise)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &value) != 0 ||
	    value > UINT32_MAX)
		return otherwise;
	return (unsigned int)value;
}

bool parameters_next(struct parameters *p, Dwarf_Die *function, Dwarf_Die *die)
{
	do {
		if (p->in_pack) {
			p->in_pack = dwarf_siblingof(&p->packed, &p->packed) == 0;
		} else {
			if ((p->begun ? dwarf_siblingof(&p->child, &p->child) :
					dwarf_child(function, &p->child)) != 0)
				return false;
			p->begun = true;
			p->in_pack = dwarf_tag(&p->child) == DW_TAG_GNU_formal_parameter_pack &&
				     dwarf_child(&p->child, &p->packed) == 0;
		}
		*die = p->in_pack ? p->packed : p->child;
	} while (dwarf_tag(die) != DW_TAG_formal_parameter);
	return true;
}

bool dwarf_is_class(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type;
}

bool dwarf_is_part(Dwarf_Die *child)
{
	int tag = dwarf_tag(child);
	Dwarf_Attribute attr;

	/* Static members may be members, too, which are external unless their class is local. */
	return (tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
	       !dwarf_attr(child, DW_AT_external, &attr) &&
	       !dwarf_attr(child, DW_AT_declaration, &attr);
}

const char *dwarf_producer(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attr));

	return producer ? producer : "";
}

bool dwarf_member_at(Dwarf_Die *member, unsigned int *at)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;
	Dwarf_Op *ops;
	size_t n;

	*at = 0;
	if (!dwarf_attr_integrate(member, DW_AT_data_member_location, &attr))
		return true;
	/* DWARF 2 has an expression that adds the offset to the object's address. */
	if (dwarf_formudata(&attr, &value) != 0) {
		if (dwarf_getlocation(&attr, &ops, &n) != 0 || n != 1 ||
		    ops[0].atom != DW_OP_plus_uconst)
			return false;
		value = ops[0].number;
	}
	*at = (unsigned int)value;
	return value <= INT32_MAX;
}

#endif
