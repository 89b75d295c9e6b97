/* SPDX-License-Identifier: MIT */
/*
 * Parameters by the calling convention, for when DWARF's locations do not help. At a function's
 * first instruction the locations that DWARF gives are not valid yet: unoptimised code names stack
 * slots that the prologue has still to fill. The System V ABI for x86-64 (section 3.2.3) says where
 * the caller put the values, given the types of all parameters, which DWARF has:
 *
 *	integers, pointers      rdi rsi rdx rcx r8 r9, then the stack
 *	float, double, vectors  xmm0 .. xmm7, then the stack
 *	struct up to 16 bytes   each eightbyte as above; all in registers or none
 *	larger, long double     the stack
 *
 * A function that returns a value in memory gets the address for it in rdi, before its parameters.
 * At the entry the first stack argument is at 8(%rsp), above the return address.
 */
#include "config.h"

#include "capture/probe/abi.h"
#include "capture/probe/die.h"
#include "capture/sys/alloc.h"

#ifdef HAVE_DW
#include <dwarf.h>

enum { MAX_DEPTH = 16, MAX_MEMBERS = 256 };

/* ---- types ----------------------------------------------------------------------------------- */

/* Returns the text of a type that is derived from the one whose text is inner. */
static char *derived_type_text(int tag, const char *inner)
{
	bool to_pointer = inner[strlen(inner) - 1] == '*';

	switch (tag) {
	case DW_TAG_const_type:
		return to_pointer ? xasprintf("%sconst", inner) : xasprintf("const %s", inner);
	case DW_TAG_volatile_type:
		return xasprintf("volatile %s", inner);
	case DW_TAG_subroutine_type:
		return xasprintf("%s ()", inner);
	case DW_TAG_pointer_type:
		return xasprintf("%s%s*", inner, to_pointer ? "" : " ");
	case DW_TAG_reference_type:
		return xasprintf("%s &", inner);
	case DW_TAG_rvalue_reference_type:
		return xasprintf("%s &&", inner);
	case DW_TAG_array_type:
		return xasprintf("%s []", inner);
	default:
		return xstrdup(inner);
	}
}

char *dwarf_type_text(Dwarf_Die *die, int depth)
{
	Dwarf_Die under, described;
	char *inner, *text;
	const char *name;
	int tag;

	if (!die)
		return xstrdup("void");
	described = *die;
	if (dwarf_elsewhere(&described))
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
	text = derived_type_text(tag, inner);
	free(inner);
	return text;
}

/* ---- the ABI --------------------------------------------------------------------------------- */

/*
 * What two members in one eightbyte make it. An integer wins; a long double shares with nothing
 * else.
 */
static void merge(struct abi_type *t, unsigned int offset, enum abi_class c)
{
	enum abi_class *part = &t->part[offset / 8 & 1];

	if (offset >= 16)
		t->memory = true;
	else if (*part == CLASS_NONE || c == CLASS_INTEGER)
		*part = c;
	else if (*part != CLASS_INTEGER && *part != c)
		t->memory = true;
}

/* Notes where a number is: an object with one that is not aligned is passed in memory. */
static void note_place(struct abi_type *t, unsigned int offset, unsigned int align)
{
	if (!align)
		return;
	t->memory |= offset % align != 0;
	if (align > t->align)
		t->align = align;
}

static void classify(Dwarf_Die *die, unsigned int offset, int depth, struct abi_type *t);

/* A bit field need not be aligned, and may be in both eightbytes. */
static void classify_bits(Dwarf_Die *member, unsigned int offset, unsigned int width,
			  struct abi_type *t)
{
	unsigned int first = offset * 8 + dwarf_first_bit(member, width);

	merge(t, first / 8, CLASS_INTEGER);
	merge(t, (first + width - 1) / 8, CLASS_INTEGER);
}

static void classify_members(Dwarf_Die *die, unsigned int offset, int depth, struct abi_type *t)
{
	Dwarf_Die child, type;
	int n = 0; /* parts */

	if (dwarf_child(die, &child) != 0)
		return;
	do {
		unsigned int width = dwarf_udata(&child, DW_AT_bit_size, 0), at;

		if (!dwarf_is_part(&child) || !dwarf_type_of(&child, &type))
			continue;
		if (++n > MAX_MEMBERS) {
			t->wide = true;
			return;
		}
		if (width)
			classify_bits(&child, offset, width, t);
		else if (!dwarf_member_at(&child, &at))
			t->memory = true;
		else
			classify(&type, offset + at, depth + 1, t);
	} while (dwarf_siblingof(&child, &child) == 0);
}

/*
 * Vectors of 32 bytes and more are passed in registers that not every processor has: without the
 * compiler's option for them, they are passed in memory.
 */
static void classify_vector(unsigned int offset, Dwarf_Word size, struct abi_type *t)
{
	if (size > 16) {
		t->wide = true;
		return;
	}
	note_place(t, offset, (unsigned int)size);
	/* Compilers disagree on the class of smaller ones. */
	t->wide |= size < 8;
	merge(t, offset, CLASS_SSE);
}

static void classify_array(Dwarf_Die *die, unsigned int offset, int depth, struct abi_type *t)
{
	Dwarf_Attribute attr;
	Dwarf_Word size, step;
	Dwarf_Die element;

	if (!dwarf_type_of(die, &element) || dwarf_aggregate_size(die, &size) != 0) {
		t->memory = true;
	} else if (dwarf_attr(die, DW_AT_GNU_vector, &attr)) {
		classify_vector(offset, size, t);
	} else if (size > 16 || dwarf_aggregate_size(&element, &step) != 0 || step == 0) {
		t->memory = true;
	} else {
		for (Dwarf_Word at = 0; at < size; at += step)
			classify(&element, offset + (unsigned int)at, depth + 1, t);
	}
}

/* True for __float128 and its like, which are in xmm registers as long double is not. */
static bool is_quad(const char *name)
{
	return name && (strstr(name, "_Float128") || strstr(name, "float128"));
}

/* Numbers with a fraction: float, double, long double, decimal ones, and complex ones. */
static void classify_float(Dwarf_Die *type, unsigned int offset, struct abi_type *t)
{
	bool complex = dwarf_udata(type, DW_AT_encoding, 0) == DW_ATE_complex_float;
	bool binary = dwarf_udata(type, DW_AT_encoding, 0) == DW_ATE_float;
	unsigned int size = dwarf_udata(type, DW_AT_byte_size, 0);
	unsigned int align = complex ? size / 2 : size;
	bool extended = binary && size == 10; /* Pascal's, without padding */
	bool x87 = extended ||
		   (align == 16 && (binary || complex) && !is_quad(dwarf_diename(type)));

	note_place(t, offset, extended ? 2 : align);
	merge(t, offset, x87 ? CLASS_X87 : CLASS_SSE);
	if (x87)
		merge(t, offset + 8, CLASS_X87);
	else if (size == 16 && complex)
		merge(t, offset + 8, CLASS_SSE);
	t->memory |= size > 16;
	t->is_float = binary;
	t->undecoded = !binary || size < 4;
	t->show = PROBE_SHOW_FLOAT;
}

/* "character" is Ada's. */
static bool is_char(const char *name)
{
	return name && (!strcmp(name, "char") || !strcmp(name, "character"));
}

static void classify_base(Dwarf_Die *type, unsigned int offset, struct abi_type *t)
{
	unsigned int encoding = dwarf_udata(type, DW_AT_encoding, 0);
	unsigned int size = dwarf_udata(type, DW_AT_byte_size, 0);
	const char *name = dwarf_diename(type);

	if (encoding == DW_ATE_float || encoding == DW_ATE_complex_float ||
	    encoding == DW_ATE_decimal_float) {
		classify_float(type, offset, t);
		return;
	}
	/* DWARF does not give the number of its valid bits; the others are undefined. */
	t->undecoded = name && strstr(name, "_BitInt");
	note_place(t, offset, size);
	merge(t, offset, CLASS_INTEGER);
	if (size == 16)
		merge(t, offset + 8, CLASS_INTEGER);
	if (name && strstr(name, "__int128"))
		t->int128 = true;
	else
		t->wide |= size >= 16;
	t->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	if (encoding == DW_ATE_boolean)
		t->show = PROBE_SHOW_BOOL;
	else if (is_char(name))
		t->show = PROBE_SHOW_CHAR;
}

/* A pointer to a member function is a pair. */
static bool is_method_pointer(Dwarf_Die *type)
{
	Dwarf_Die of, peeled;

	return dwarf_tag(type) == DW_TAG_ptr_to_member_type && dwarf_type_of(type, &of) &&
	       dwarf_peel(&of, &peeled) && dwarf_tag(&peeled) == DW_TAG_subroutine_type;
}

/* True if a value of the enumeration is negative: its sign where no type under it says one. */
static bool has_negative(Dwarf_Die *type)
{
	Dwarf_Die child;
	Dwarf_Sword value;

	if (dwarf_child(type, &child) != 0)
		return false;
	do {
		Dwarf_Attribute attr;

		/* other forms have no sign */
		if (dwarf_tag(&child) == DW_TAG_enumerator &&
		    dwarf_attr(&child, DW_AT_const_value, &attr) &&
		    dwarf_whatform(&attr) == DW_FORM_sdata &&
		    dwarf_formsdata(&attr, &value) == 0 && value < 0)
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
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
		classify_base(&type, offset, t);
		return;
	case DW_TAG_enumeration_type:
		note_place(t, offset, dwarf_udata(&type, DW_AT_byte_size, 0));
		merge(t, offset, CLASS_INTEGER);
		if (dwarf_type_of(&type, &under) && dwarf_peel(&under, &under))
			t->is_signed = dwarf_udata(&under, DW_AT_encoding, 0) == DW_ATE_signed;
		else /* DWARF 2 */
			t->is_signed = has_negative(&type);
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
		if (is_method_pointer(&type))
			merge(t, offset + 8, CLASS_INTEGER);
		/* fall through */
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_subroutine_type: /* a function of Go is a pointer */
	case DW_TAG_unspecified_type:
		note_place(t, offset, 8);
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

/* The size in bytes of a type without typedefs; 0 if it is unknown. */
static unsigned int size_of(Dwarf_Die *type)
{
	Dwarf_Word size;

	if (is_pointer(dwarf_tag(type)))
		return 8;
	if (dwarf_tag(type) == DW_TAG_ptr_to_member_type)
		return is_method_pointer(type) ? 16 : 8;
	return dwarf_aggregate_size(type, &size) == 0 && size < UINT32_MAX ? (unsigned int)size : 0;
}

unsigned int dwarf_first_bit(Dwarf_Die *member, unsigned int width)
{
	unsigned int bytes, unit;
	Dwarf_Attribute attr;
	Dwarf_Word from_end;
	Dwarf_Die type;

	dwarf_member_at(member, &bytes);
	if (!dwarf_attr_integrate(member, DW_AT_bit_offset, &attr) ||
	    dwarf_formudata(&attr, &from_end) != 0 || !dwarf_type_of(member, &type) ||
	    !dwarf_peel(&type, &type))
		return bytes * 8 + dwarf_udata(member, DW_AT_data_bit_offset, 0);
	unit = dwarf_udata(member, DW_AT_byte_size, size_of(&type)) * 8;
	/* clang writes a negative number for a field that ends behind the unit. */
	return bytes * 8 + unit - (unsigned int)from_end - width;
}

void abi_type_of(Dwarf_Die *die, struct abi_type *t)
{
	Dwarf_Die type;

	*t = (struct abi_type){ .align = 8 };
	if (!dwarf_peel(die, &type)) {
		t->memory = true;
		return;
	}
	t->size = size_of(&type);
	t->scalar = is_pointer(dwarf_tag(&type)) || dwarf_tag(&type) == DW_TAG_base_type ||
		    dwarf_tag(&type) == DW_TAG_enumeration_type;
	t->passing = passing_of(&type);
	if (t->passing == PASSED_BY_ADDRESS) {
		/* The caller passes the value's address instead. */
		t->part[0] = CLASS_INTEGER;
		t->size = 8;
		return;
	}
	classify(die, 0, 0, t);
	t->x87 = t->part[0] == CLASS_X87 && (t->scalar || (!t->memory && t->size <= 16));
	t->memory |= t->size > 16 || t->part[0] == CLASS_X87 || t->part[1] == CLASS_X87;
	t->align = dwarf_udata(&type, DW_AT_alignment, t->align);
	t->padded = !t->memory && t->size > 8 &&
		    (t->part[0] == CLASS_NONE || (t->part[1] == CLASS_NONE && t->align <= 8));
	/* an object whose size is no multiple of it is packed */
	if (t->align < 8 || (t->size && t->size % t->align))
		t->align = 8;
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
	if (t->wide || t->padded || t->passing == PASSING_UNKNOWN) {
		abi->stack_unknown = true;
		abi->gp_unknown |= t->passing == PASSING_UNKNOWN || t->size <= 16;
		return -1;
	}
	if (!t->memory && abi->gp + gp <= 6 && abi->sse + xmm <= 8) {
		abi->gp += gp;
		abi->sse += xmm;
		return (int)(gp ? abi->gp - gp : abi->sse - xmm);
	}
	if (t->int128 && !abi->int128_by_abi) {
		abi->stack_unknown = true;
		abi->gp_unknown |= abi->gp < 6;
		return -1;
	}
	/*
	 * The stack was aligned before the call pushed the return address: to 16 bytes, or to more
	 * if a parameter needs that.
	 */
	abi->stack += (t->align - (abi->stack - 8) % t->align) % t->align;
	*stack = abi->stack;
	abi->stack += (t->size + 7ull) & ~7ull;
	return -1;
}
#endif
