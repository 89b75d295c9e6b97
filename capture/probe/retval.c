/* SPDX-License-Identifier: MIT */
/*
 * The System V ABI for x86-64 returns a value by the class of its eightbytes:
 *
 *	integers, pointers      rax, and a second eightbyte in rdx
 *	float, double, vectors  xmm0, xmm1
 *	long double             st(0)
 *	more than 16 bytes, and what C++ must copy by a constructor
 *	                        in memory, whose address the caller passed and rax has
 *
 * C and C++ keep to it. Rust keeps to it for single numbers and pointers only. Go returns in
 * registers of its own: rax, rbx, rcx, ..., of which the first result's is rax.
 *
 * A compiler that sees all callers may take the value away: GCC then makes a copy of the function
 * with another name (.isra, .part, also after .constprop), LLVM keeps the name.
 */
#include "capture/probe/retval.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "capture/probe/enumeration.h"
#include "capture/sys/alloc.h"

/* From DWARF 5; old headers lack them. */
enum { PASS_BY_REFERENCE = 4, PASS_BY_VALUE = 5 };

/* Whose way of returning values it is. */
enum convention {
	SYSTEM_V,      /* all of the ABI */
	SCALARS,       /* the ABI's for single values */
	GO,
	OF_ITS_OWN,
};

static enum convention convention_of(Dwarf_Die *unit)
{
	int language = dwarf_srclang(unit);

	if (dwarf_is_c(language))
		return SYSTEM_V;
	switch (language) {
	case DW_LANG_Rust:
	case DW_LANG_D:
	case DW_LANG_Ada83:
	case DW_LANG_Ada95:
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08:
	case DW_LANG_Pascal83:
		return SCALARS;
	case DW_LANG_Go:
		return GO;
	default:
		return OF_ITS_OWN;
	}
}

__attribute__((format(printf, 2, 3))) static void unknown(struct dwarf_value *v, const char *why,
							  ...)
{
	va_list ap;

	v->place.form = ARGLOC_NONE;
	va_start(ap, why);
	vsnprintf(v->place.why, sizeof(v->place.why), why, ap);
	va_end(ap);
}

/* Describes a value of `size` bytes in a general register. */
static void in_register(struct dwarf_value *v, const char *reg, unsigned int size, char sign,
			enum probe_arg_show show)
{
	v->place = (struct argloc){ .form = ARGLOC_EXPR, .bits = size * 8,
				    .is_signed = sign == 's' };
	snprintf(v->place.expr, sizeof(v->place.expr), "%s", reg);
	snprintf(v->type, sizeof(v->type), "%c%u", sign, size * 8);
	v->show = show;
}

static bool has_register_size(unsigned int size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* ---- the System V ABI ----------------------------------------------------------------------- */

/* Is it returned in memory because C++ must copy it? *known is false if that is not told. */
static bool by_reference(Dwarf_Die *die, Dwarf_Die *unit, bool *known)
{
	Dwarf_Die type;
	unsigned int how;
	int lang = dwarf_srclang(unit), tag;

	*known = true;
	if (!dwarf_peel(die, &type))
		return false;
	tag = dwarf_tag(&type);
	if (tag != DW_TAG_structure_type && tag != DW_TAG_class_type && tag != DW_TAG_union_type)
		return false;
	how = dwarf_udata(&type, DW_AT_calling_convention, 0);
	/* C has no constructors, and before DWARF 5 nothing told. */
	*known = how == PASS_BY_VALUE || how == PASS_BY_REFERENCE || lang == DW_LANG_C ||
		 lang == DW_LANG_C89 || lang == DW_LANG_C99 || lang == DW_LANG_C11 ||
		 lang == DW_LANG_ObjC;
	return how == PASS_BY_REFERENCE;
}

static void in_memory(struct dwarf_value *v)
{
	char *of = v->ctype;

	/* The value is the address of the result. */
	v->ctype = xasprintf("%s *", of);
	free(of);
	in_register(v, "$retval", 8, 'x', PROBE_SHOW_ADDR);
}

/* One of two eightbytes. */
static void place_part(struct dwarf_value *part, enum abi_class class, unsigned int size,
		       unsigned int *gp, unsigned int *sse)
{
	static const char *const regs[] = { "ax", "dx" };
	char reg[8];

	part->ctype = xstrdup("");
	if (class == CLASS_SSE) {
		part->name = xasprintf("xmm%u", (*sse)++);
		unknown(part, "in %%%s, which the kernel's probes cannot read", part->name);
		return;
	}
	snprintf(reg, sizeof(reg), "%%%s", regs[*gp & 1]);
	part->name = xasprintf("r%s", regs[(*gp)++ & 1]);
	if (has_register_size(size))
		in_register(part, reg, size, 'x', PROBE_SHOW_HEX);
	else
		unknown(part, "%u bytes in %s; a type shows the whole register: %s:x64", size, reg,
			reg);
}

static void in_two_registers(struct dwarf_function *out, const struct abi_type *t)
{
	unsigned int gp = 0, sse = 0;

	unknown(&out->ret, "%s is returned in two registers", out->ret.ctype);
	for (int i = 0; i < 2; i++)
		place_part(&out->parts[i], t->part[i], i ? t->size - 8 : 8, &gp, &sse);
	out->nparts = 2;
}

static void by_class(struct dwarf_function *out, const struct abi_type *t)
{
	struct dwarf_value *v = &out->ret;

	if (t->memory) /* a scalar: long double */
		unknown(v, "%s is returned in %%st(0), which the kernel's probes cannot read",
			v->ctype);
	else if (t->size > 8 && t->part[0] == CLASS_SSE && t->part[1] != CLASS_INTEGER)
		unknown(v, "%s is returned in %%xmm0, which the kernel's probes cannot read",
			v->ctype);
	else if (t->size > 8)
		in_two_registers(out, t);
	else if (t->part[0] == CLASS_SSE)
		unknown(v, "%s is returned in %%xmm0, which the kernel's probes cannot read",
			v->ctype);
	else if (t->part[0] != CLASS_INTEGER)
		unknown(v, "%s has no value", v->ctype);
	else if (!has_register_size(t->size))
		unknown(v, "%s has %u bytes; a type shows the whole register: $retval:x64",
			v->ctype, t->size);
	else if (t->scalar)
		in_register(v, "$retval", t->size, t->show == PROBE_SHOW_ADDR ? 'x' :
			    t->is_signed ? 's' : 'u', t->show);
	else
		in_register(v, "$retval", t->size, 'x', PROBE_SHOW_HEX);
}

static void by_system_v(Dwarf_Die *type, Dwarf_Die *unit, bool scalars_only,
			struct dwarf_function *out, struct abi *abi)
{
	struct dwarf_value *v = &out->ret;
	struct abi_type t;
	Dwarf_Die peeled;
	bool known;

	abi_type_of(type, &t);
	v->names = enumeration_names(type, t.is_signed);
	if (t.scalar && t.size == 0 && dwarf_peel(type, &peeled) &&
	    dwarf_tag(&peeled) == DW_TAG_base_type) /* Rust's () */
		unknown(v, "the function returns nothing");
	else if (scalars_only && !t.scalar)
		unknown(v, "%s: its language returns what is no single number in a way of its own",
			v->ctype);
	else if (!t.scalar && (by_reference(type, unit, &known) || (t.memory && known))) {
		abi->gp++;
		in_memory(v);
	} else if (!t.scalar && !known && !t.memory) {
		unknown(v, "the debug information does not tell whether %s is returned in a "
			"register or in memory", v->ctype);
	} else if (!t.scalar && t.memory) {
		abi->gp++;
		in_memory(v);
	} else {
		by_class(out, &t);
	}
}

/* ---- Go ------------------------------------------------------------------------------------- */

static bool has_register_abi(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attr));

	return producer && strstr(producer, "regabi");
}

/* Results are parameters that are marked as variable. */
static void by_go(Dwarf_Die *fn, Dwarf_Die *unit, struct dwarf_function *out)
{
	struct dwarf_value *v = &out->ret;
	struct abi_type t;
	Dwarf_Die child, type;
	bool found = false;

	if (dwarf_child(fn, &child) == 0) {
		do {
			Dwarf_Attribute attr;
			bool result = false;

			found = dwarf_tag(&child) == DW_TAG_formal_parameter &&
				dwarf_formflag(dwarf_attr(&child, DW_AT_variable_parameter, &attr),
					       &result) == 0 &&
				result && dwarf_type_of(&child, &type);
		} while (!found && dwarf_siblingof(&child, &child) == 0);
	}
	if (!found) {
		v->ctype = xstrdup("");
		unknown(v, "the function returns nothing");
		return;
	}
	v->ctype = dwarf_type_text(&type, 0);
	abi_type_of(&type, &t);
	if (!has_register_abi(unit))
		unknown(v, "Go before 1.17 returns values on the stack");
	else if (!t.scalar)
		unknown(v, "%s is no single number: Go returns its parts in %%ax, %%bx, %%cx, ...",
			v->ctype);
	else
		by_class(out, &t);
}

/* ---- what the compiler took away ------------------------------------------------------------ */

/* May a compiler that saw all callers have taken the value away? */
static bool doubtful(Dwarf_Die *fn, Dwarf_Die *unit, const struct elf_symbol *symbol)
{
	Dwarf_Attribute attr;
	const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attr));

	if (dwarf_udata(fn, DW_AT_calling_convention, 0) == DW_CC_nocall)
		return true;
	if (!symbol)
		return true;
	if (strstr(symbol->name, ".isra.") || strstr(symbol->name, ".part.") ||
	    strstr(symbol->name, ".constprop."))
		return true;
	return !symbol->global && producer &&
	       (strstr(producer, "clang") || strstr(producer, "LLVM") || strstr(producer, "rustc"));
}

void retval_describe(Dwarf_Die *fn, Dwarf_Die *unit, const struct elf_symbol *symbol,
		     struct dwarf_function *out, struct abi *abi)
{
	enum convention convention = convention_of(unit);
	struct dwarf_value *v = &out->ret;
	Dwarf_Die type;

	v->name = xstrdup("");
	if (convention == GO) {
		by_go(fn, unit, out);
		return;
	}
	if (!dwarf_type_of(fn, &type)) {
		v->ctype = xstrdup("void");
		unknown(v, "the function returns nothing");
		return;
	}
	v->ctype = dwarf_type_text(&type, 0);
	if (convention == OF_ITS_OWN)
		unknown(v, "it is not known how its language returns values");
	else
		by_system_v(&type, unit, convention == SCALARS, out, abi);
	out->ret_doubtful = v->place.form != ARGLOC_NONE || out->nparts ?
			    doubtful(fn, unit, symbol) : false;
}

#endif
