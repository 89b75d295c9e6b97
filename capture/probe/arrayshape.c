/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/probe/arrayshape.h"

#ifdef HAVE_DW
#include <dwarf.h>

/* False if the attribute is there and no constant. Leaves *n if it is not there. */
static bool constant(Dwarf_Die *die, unsigned int name, int64_t *n)
{
	Dwarf_Attribute attr;
	Dwarf_Sword number;
	Dwarf_Word word;

	if (!dwarf_attr_integrate(die, name, &attr))
		return true;
	switch (dwarf_whatform(&attr)) {
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
		*n = dwarf_formsdata(&attr, &number) == 0 ? number : 0;
		return true;
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_udata:
		*n = dwarf_formudata(&attr, &word) == 0 ? (int64_t)word : 0;
		return true;
	default:
		return false;
	}
}

static bool has_stride(Dwarf_Die *die)
{
	return dwarf_hasattr_integrate(die, DW_AT_byte_stride) ||
	       dwarf_hasattr_integrate(die, DW_AT_bit_stride);
}

static int64_t first_by_language(Dwarf_Die *array)
{
	Dwarf_Sword first = 0;
	Dwarf_Die unit;

	if (!dwarf_cu_die(array->cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) ||
	    dwarf_default_lower_bound(dwarf_srclang(&unit), &first) != 0)
		return 0;
	return first;
}

static void first_dimension(Dwarf_Die *range, struct array_shape *s)
{
	int64_t last = INT64_MIN, count = 0;

	if (has_stride(range))
		s->elsewhere = "its elements are not one behind the other";
	if (!constant(range, DW_AT_lower_bound, &s->first))
		s->elsewhere = "the number of its first element is known at run time only";
	if (constant(range, DW_AT_count, &count) && count > 0)
		s->n = (uint64_t)count;
	else if (constant(range, DW_AT_upper_bound, &last) && last >= s->first &&
		 last <= UINT32_MAX - 1) /* gcc writes -1 for "int a[]" */
		s->n = (uint64_t)last - (uint64_t)s->first + 1;
}

void array_shape_of(Dwarf_Die *array, struct array_shape *s)
{
	Dwarf_Die child;

	*s = (struct array_shape){ .first = first_by_language(array) };
	if (dwarf_child(array, &child) == 0) {
		do {
			if (dwarf_tag(&child) == DW_TAG_enumeration_type && !s->dimensions++)
				s->elsewhere = "its elements have the names of an enumeration";
			if (dwarf_tag(&child) == DW_TAG_subrange_type && !s->dimensions++)
				first_dimension(&child, s);
		} while (dwarf_siblingof(&child, &child) == 0);
	}
	if (has_stride(array))
		s->elsewhere = "its elements are not one behind the other";
	if (dwarf_hasattr_integrate(array, DW_AT_data_location))
		s->elsewhere = "its elements are elsewhere, at an address in a descriptor";
}

#endif
