/* SPDX-License-Identifier: MIT */
/*
 * Parameters by the ABI, where their DWARF locations do not tell: at a function's first instruction
 * the locations that DWARF gives are not true yet (unoptimised code names stack slots that the
 * prologue has still to fill), while the System V ABI for x86-64 says exactly where the caller
 * put things. It needs the type of every parameter, and that DWARF has:
 *
 *	integers, pointers      rdi rsi rdx rcx r8 r9, then the stack
 *	float, double, vectors  xmm0 .. xmm7, then the stack
 *	struct up to 16 bytes   its eightbytes as above, all or none in registers
 *	larger, long double     the stack
 *
 * A function that returns a large struct gets the address for it in rdi before all others. At the
 * entry the first stack argument is at 8(%rsp), above the return address.
 */
#include "config.h"

#include "capture/sys/alloc.h"
#include "capture/probe/abi.h"

#ifdef HAVE_DW
#include <dwarf.h>

enum { MAX_DEPTH = 16, MAX_MEMBERS = 256 };

/* From DWARF 5; old headers lack it. */
enum { PASS_BY_REFERENCE = 4 };

bool dwarf_is_c(int language)
{
	switch (language) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2a: /* C++17 .. */
	case 0x2b:
	case 0x2c: /* C17 */
	case DW_LANG_ObjC:
	case DW_LANG_ObjC_plus_plus:
		return true;
	default:
		return false;
	}
}

/* ---- types ----------------------------------------------------------------------------------- */

bool dwarf_type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type);
}

/* A type that is described in a unit of its own (-fdebug-types-section). */
static bool elsewhere(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;

	if (!dwarf_attr(die, DW_AT_signature, &attr) || !dwarf_formref_die(&attr, &type))
		return false;
	*die = type;
	return true;
}

bool dwarf_peel(const Dwarf_Die *from, Dwarf_Die *type)
{
	*type = *from;
	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		if (elsewhere(type))
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

char *dwarf_type_text(Dwarf_Die *die, int depth)
{
	Dwarf_Die under, described = die ? *die : (Dwarf_Die){ 0 };
	char *inner, *text;
	const char *name;
	int tag;

	if (!die)
		return xstrdup("void");
	if (elsewhere(&described))
		die = &described;
	name = dwarf_diename(die);
	if (name && !*name)
		name = NULL;
	tag = dwarf_tag(die);
	if (depth > MAX_DEPTH)
		return xstrdup("...");
	switch (tag) {
	case DW_TAG_structure_type:
		return xasprintf("struct %s", name ? name : "{...}");
	case DW_TAG_union_type:
		return xasprintf("union %s", name ? name : "{...}");
	case DW_TAG_enumeration_type:
		return xasprintf("enum %s", name ? name : "{...}");
	}
	if (name)
		return xstrdup(name);
	inner = dwarf_type_text(dwarf_type_of(die, &under) ? &under : NULL, depth + 1);
	switch (tag) {
	case DW_TAG_const_type:
		text = inner[strlen(inner) - 1] == '*' ? xasprintf("%sconst", inner) :
							 xasprintf("const %s", inner);
		break;
	case DW_TAG_volatile_type:
		text = xasprintf("volatile %s", inner);
		break;
	case DW_TAG_subroutine_type:
		text = xasprintf("%s ()", inner);
		break;
	case DW_TAG_pointer_type:
		text = xasprintf("%s%s*", inner, inner[strlen(inner) - 1] == '*' ? "" : " ");
		break;
	case DW_TAG_reference_type:
		text = xasprintf("%s &", inner);
		break;
	case DW_TAG_rvalue_reference_type:
		text = xasprintf("%s &&", inner);
		break;
	case DW_TAG_array_type:
		text = xasprintf("%s []", inner);
		break;
	default:
		text = xstrdup(inner);
	}
	free(inner);
	return text;
}

/* ---- the ABI --------------------------------------------------------------------------------- */

static void merge(struct abi_type *t, unsigned int offset, enum abi_class c)
{
	enum abi_class *part = &t->part[offset / 8 & 1];

	if (offset >= 16)
		t->memory = true;
	else if (*part != CLASS_INTEGER)
		*part = c;
}

static void classify(Dwarf_Die *die, unsigned int offset, int depth, struct abi_type *t);

static void classify_members(Dwarf_Die *die, unsigned int offset, int depth, struct abi_type *t)
{
	Dwarf_Die child, type;
	int n = 0;

	if (dwarf_child(die, &child) != 0)
		return;
	do {
		int tag = dwarf_tag(&child);
		unsigned int bits = dwarf_udata(&child, DW_AT_data_bit_offset, 0);
		unsigned int at = dwarf_udata(&child, DW_AT_data_member_location, 0) + bits / 8;
		Dwarf_Attribute attr;

		/* Static members have no place in it. */
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    dwarf_attr(&child, DW_AT_external, &attr) || !dwarf_type_of(&child, &type))
			continue;
		classify(&type, offset + at, depth + 1, t);
	} while (++n < MAX_MEMBERS && dwarf_siblingof(&child, &child) == 0);
}

static void classify_array(Dwarf_Die *die, unsigned int offset, int depth, struct abi_type *t)
{
	Dwarf_Attribute attr;
	Dwarf_Word size, step;
	Dwarf_Die element;

	if (dwarf_attr(die, DW_AT_GNU_vector, &attr)) {
		merge(t, offset, CLASS_SSE);
		return;
	}
	if (!dwarf_type_of(die, &element) || dwarf_aggregate_size(die, &size) != 0 || size > 16 ||
	    dwarf_aggregate_size(&element, &step) != 0 || step == 0) {
		t->memory = true;
		return;
	}
	for (Dwarf_Word at = 0; at < size; at += step)
		classify(&element, offset + (unsigned int)at, depth + 1, t);
}

static void classify_base(Dwarf_Die *type, unsigned int offset, int depth, struct abi_type *t)
{
	unsigned int encoding = dwarf_udata(type, DW_AT_encoding, 0);
	unsigned int size = dwarf_udata(type, DW_AT_byte_size, 0);
	const char *name = dwarf_diename(type);

	if (encoding == DW_ATE_float || encoding == DW_ATE_complex_float) {
		if (size > 8 && !(encoding == DW_ATE_complex_float && size == 16))
			t->memory = true; /* long double */
		merge(t, offset, CLASS_SSE);
		if (size == 16)
			merge(t, offset + 8, CLASS_SSE);
		t->is_float = encoding == DW_ATE_float;
		t->show = PROBE_SHOW_FLOAT;
		return;
	}
	merge(t, offset, CLASS_INTEGER);
	if (size == 16)
		merge(t, offset + 8, CLASS_INTEGER);
	t->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	if (encoding == DW_ATE_boolean)
		t->show = PROBE_SHOW_BOOL;
	else if (name && !strcmp(name, "char"))
		t->show = PROBE_SHOW_CHAR;
}

static void classify(Dwarf_Die *die, unsigned int offset, int depth, struct abi_type *t)
{
	Dwarf_Die type, under;

	if (depth > MAX_DEPTH || !dwarf_peel(die, &type)) {
		t->memory = true;
		return;
	}
	switch (dwarf_tag(&type)) {
	case DW_TAG_base_type:
		classify_base(&type, offset, depth, t);
		return;
	case DW_TAG_enumeration_type:
		merge(t, offset, CLASS_INTEGER);
		if (dwarf_type_of(&type, &under) && dwarf_peel(&under, &under))
			t->is_signed = dwarf_udata(&under, DW_AT_encoding, 0) == DW_ATE_signed;
		return;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		classify_members(&type, offset, depth, t);
		return;
	case DW_TAG_array_type:
		classify_array(&type, offset, depth, t);
		return;
	case DW_TAG_ptr_to_member_type:
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_subroutine_type: /* a function of Go is a pointer */
	case DW_TAG_unspecified_type:
		merge(t, offset, CLASS_INTEGER);
		t->show = PROBE_SHOW_ADDR;
		return;
	default:
		t->memory = true;
	}
}

static bool is_pointer(int tag)
{
	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type || tag == DW_TAG_unspecified_type ||
	       tag == DW_TAG_subroutine_type;
}

void abi_type_of(Dwarf_Die *die, struct abi_type *t)
{
	Dwarf_Die type;
	Dwarf_Word size;

	*t = (struct abi_type){ .align = 8 };
	if (!dwarf_peel(die, &type)) {
		t->memory = true;
		return;
	}
	t->size = is_pointer(dwarf_tag(&type)) ? 8 :
		  dwarf_aggregate_size(&type, &size) == 0 && size < UINT32_MAX ?
		  (unsigned int)size : 0;
	t->scalar = is_pointer(dwarf_tag(&type)) || dwarf_tag(&type) == DW_TAG_base_type ||
		    dwarf_tag(&type) == DW_TAG_enumeration_type;
	if (t->scalar && t->size == 16)
		t->align = 16;
	if (!t->scalar && dwarf_udata(&type, DW_AT_calling_convention, 0) == PASS_BY_REFERENCE) {
		/* Not the value is passed but its address. */
		t->part[0] = CLASS_INTEGER;
		t->size = 8;
		return;
	}
	classify(die, 0, 0, t);
	if (t->size > 16)
		t->memory = true;
}

int abi_take(struct abi *abi, const struct abi_type *t, bool *sse, uint64_t *stack)
{
	unsigned int gp = 0, xmm = 0;

	for (int i = 0; i < 2 && !t->memory; i++) {
		gp += t->part[i] == CLASS_INTEGER;
		xmm += t->part[i] == CLASS_SSE;
	}
	*sse = xmm > 0;
	*stack = 0;
	if (!t->memory && abi->gp + gp <= 6 && abi->sse + xmm <= 8) {
		abi->gp += gp;
		abi->sse += xmm;
		return (int)(gp ? abi->gp - gp : abi->sse - xmm);
	}
	/* The stack is 16-byte aligned before the call pushed 8. */
	if (t->align == 16 && abi->stack % 16 == 0)
		abi->stack += 8;
	*stack = abi->stack;
	abi->stack += (t->size + 7ull) & ~7ull;
	return -1;
}
#endif
