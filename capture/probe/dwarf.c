/* SPDX-License-Identifier: MIT */
/*
 * Parameters by the ABI, not by their DWARF locations: at a function's first instruction the
 * locations that DWARF gives are not true yet (unoptimised code names stack slots that the
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
#include "capture/probe/dwarf.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <elfutils/libdw.h>

enum { MAX_DEPTH = 16, MAX_PARAMS = 64, MAX_MEMBERS = 256 };

/* From DWARF 5; old headers lack it. */
enum { PASS_BY_REFERENCE = 4 };

struct dwarf {
	struct elf_file *file;
	Dwarf *dw;
	char *why;
};

struct dwarf *dwarf_open(struct elf_file *f, const char **why)
{
	struct dwarf *d = xcalloc(1, sizeof(*d));
	GElf_Shdr sh;
	Elf *elf = elf_section(f->elf, ".debug_info", &sh) ||
		   elf_section(f->elf, ".zdebug_info", &sh) ? f->elf : elf_debug(f);

	d->file = f;
	*why = NULL;
	if (elf)
		d->dw = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (!d->dw) {
		d->why = xasprintf("%s has no debug information; build it with -g or install its "
				   "debug symbols", f->name);
		*why = d->why;
	}
	return d;
}

void dwarf_close(struct dwarf *d)
{
	dwarf_end(d->dw);
	free(d->why);
	free(d);
}

/* ---- units and functions ------------------------------------------------------------------ */

/* The compilation unit that vaddr belongs to. */
static bool find_unit(struct dwarf *d, uint64_t vaddr, Dwarf_Die *unit)
{
	Dwarf_Off off = 0, next;
	size_t header;

	if (!d->dw)
		return false;
	if (dwarf_addrdie(d->dw, vaddr, unit))
		return true;
	/* clang leaves .debug_aranges out. */
	while (dwarf_nextcu(d->dw, off, &next, &header, NULL, NULL, NULL) == 0) {
		if (dwarf_offdie(d->dw, off + header, unit) && dwarf_haspc(unit, vaddr) > 0)
			return true;
		off = next;
	}
	return false;
}

struct search {
	uint64_t vaddr;
	Dwarf_Die die;
	bool found;
};

static int check_function(Dwarf_Die *die, void *arg)
{
	struct search *s = arg;
	Dwarf_Addr entry;

	if (dwarf_entrypc(die, &entry) != 0 || entry != s->vaddr)
		return DWARF_CB_OK;
	s->die = *die;
	s->found = true;
	return DWARF_CB_ABORT;
}

bool dwarf_line_at(struct dwarf *d, uint64_t vaddr, char **file, unsigned int *line)
{
	Dwarf_Die unit;
	Dwarf_Line *at = find_unit(d, vaddr, &unit) ? dwarf_getsrc_die(&unit, vaddr) : NULL;
	const char *name = at ? dwarf_linesrc(at, NULL, NULL) : NULL;
	int number;

	if (!name || dwarf_lineno(at, &number) != 0 || number <= 0)
		return false;
	*file = xstrdup(name);
	*line = (unsigned int)number;
	return true;
}

const char *dwarf_unwinding_language(struct dwarf *d, uint64_t vaddr)
{
	Dwarf_Die unit;

	switch (find_unit(d, vaddr, &unit) ? dwarf_srclang(&unit) : -1) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return "C++";
	case DW_LANG_Rust:
		return "Rust";
	case DW_LANG_Ada83:
	case DW_LANG_Ada95:
		return "Ada";
	case DW_LANG_D:
		return "D";
	case DW_LANG_ObjC:
	case DW_LANG_ObjC_plus_plus:
		return "Objective-C";
	case DW_LANG_Swift:
		return "Swift";
	case DW_LANG_OCaml:
		return "OCaml";
	case DW_LANG_Go:
		return "Go";
	default:
		return NULL;
	}
}

/* ---- types ----------------------------------------------------------------------------------- */

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type);
}

/* What stands behind names and qualifiers. */
static bool peel(const Dwarf_Die *from, Dwarf_Die *type)
{
	*type = *from;
	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!type_of(type, type))
				return false; /* const void */
			break;
		default:
			return true;
		}
	}
	return false;
}

static unsigned int udata(Dwarf_Die *die, unsigned int name, unsigned int otherwise)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &value) != 0 ||
	    value > UINT32_MAX)
		return otherwise;
	return (unsigned int)value;
}

/* A type as C writes it; NULL is void. malloc'd. */
static char *type_text(Dwarf_Die *die, int depth)
{
	const char *name = die ? dwarf_diename(die) : NULL;
	int tag = die ? dwarf_tag(die) : 0;
	Dwarf_Die under;
	char *inner, *text;

	if (!die)
		return xstrdup("void");
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
	inner = type_text(type_of(die, &under) ? &under : NULL, depth + 1);
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

enum abi_class { CLASS_NONE, CLASS_INTEGER, CLASS_SSE, CLASS_MEMORY };

/* How a type is passed: the classes of its eightbytes, or MEMORY as a whole. */
struct abi_type {
	enum abi_class part[2];
	unsigned int size, align;
	bool memory;
	bool scalar;       /* one value in one part */
	bool is_signed, is_float;
	enum probe_arg_show show;
};

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
		unsigned int bits = udata(&child, DW_AT_data_bit_offset, 0);
		unsigned int at = udata(&child, DW_AT_data_member_location, 0) + bits / 8;
		Dwarf_Attribute attr;

		/* Static members have no place in it. */
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    dwarf_attr(&child, DW_AT_external, &attr) || !type_of(&child, &type))
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
	if (!type_of(die, &element) || dwarf_aggregate_size(die, &size) != 0 || size > 16 ||
	    dwarf_aggregate_size(&element, &step) != 0 || step == 0) {
		t->memory = true;
		return;
	}
	for (Dwarf_Word at = 0; at < size; at += step)
		classify(&element, offset + (unsigned int)at, depth + 1, t);
}

static void classify_base(Dwarf_Die *type, unsigned int offset, int depth, struct abi_type *t)
{
	unsigned int encoding = udata(type, DW_AT_encoding, 0);
	unsigned int size = udata(type, DW_AT_byte_size, 0);
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

	if (depth > MAX_DEPTH || !peel(die, &type)) {
		t->memory = true;
		return;
	}
	switch (dwarf_tag(&type)) {
	case DW_TAG_base_type:
		classify_base(&type, offset, depth, t);
		return;
	case DW_TAG_enumeration_type:
		merge(t, offset, CLASS_INTEGER);
		if (type_of(&type, &under) && peel(&under, &under))
			t->is_signed = udata(&under, DW_AT_encoding, 0) == DW_ATE_signed;
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
	       tag == DW_TAG_rvalue_reference_type || tag == DW_TAG_unspecified_type;
}

/* How a whole parameter or return value is passed. */
static void abi_type_of(Dwarf_Die *die, struct abi_type *t)
{
	Dwarf_Die type;
	Dwarf_Word size;

	*t = (struct abi_type){ .align = 8 };
	if (!peel(die, &type)) {
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
	if (!t->scalar && udata(&type, DW_AT_calling_convention, 0) == PASS_BY_REFERENCE) {
		/* Not the value is passed but its address. */
		t->part[0] = CLASS_INTEGER;
		t->size = 8;
		return;
	}
	classify(die, 0, 0, t);
	if (t->size > 16)
		t->memory = true;
}

/* What is still free. */
struct abi {
	unsigned int gp, sse;
	uint64_t stack; /* from rsp at the entry */
};

/* Takes the next place for t. Returns the register number, or -1: at *stack; *sse tells which. */
static int abi_take(struct abi *abi, const struct abi_type *t, bool *sse, uint64_t *stack)
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

/* ---- values ---------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void unavailable(struct dwarf_value *v,
							      const char *why, ...)
{
	va_list ap;

	v->place.form = ARGLOC_NONE;
	va_start(ap, why);
	vsnprintf(v->place.why, sizeof(v->place.why), why, ap);
	va_end(ap);
}

/* Fills in a scalar that the kernel can read at `expr`. */
static void readable(struct dwarf_value *v, const struct abi_type *t, const char *expr)
{
	bool hex = t->is_float || t->show == PROBE_SHOW_ADDR;

	v->place = (struct argloc){ .form = ARGLOC_EXPR, .bits = t->size * 8,
				   .is_signed = t->is_signed, .is_float = t->is_float };
	snprintf(v->place.expr, sizeof(v->place.expr), "%s", expr);
	snprintf(v->type, sizeof(v->type), "%c%u", hex ? 'x' : t->is_signed ? 's' : 'u',
		 v->place.bits);
	v->show = t->show;
}

static bool simple(const struct abi_type *t)
{
	return t->scalar && (t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8);
}

static void argloc_param(struct dwarf_value *v, struct abi *abi, const struct abi_type *t)
{
	static const char *const regs[] = { "%di", "%si", "%dx", "%cx", "%r8", "%r9" };
	char expr[32];
	uint64_t stack;
	bool sse;
	int reg = abi_take(abi, t, &sse, &stack);

	snprintf(expr, sizeof(expr), "+%llu(%%sp)", (unsigned long long)stack);
	if (!t->scalar)
		unavailable(v, "%s is passed by value; the kernel's probes read single values",
			    v->ctype);
	else if (!simple(t))
		unavailable(v, "a value of %u bytes does not fit what the kernel's probes record",
			    t->size);
	else if (reg >= 0 && sse)
		unavailable(v, "a floating point value in %%xmm%d, which the kernel's probes "
			    "cannot read", reg);
	else
		readable(v, t, reg >= 0 ? regs[reg] : expr);
}

static void describe_return(Dwarf_Die *fn, struct dwarf_function *out, struct abi *abi)
{
	struct dwarf_value *v = &out->ret;
	struct abi_type t;
	Dwarf_Die type;

	v->name = xstrdup("");
	if (!type_of(fn, &type)) {
		v->ctype = xstrdup("void");
		unavailable(v, "the function returns nothing");
		return;
	}
	v->ctype = type_text(&type, 0);
	abi_type_of(&type, &t);
	if (t.memory && !t.scalar) {
		/* The caller passes an address for the result, which comes back in rax. */
		abi->gp++;
		t = (struct abi_type){ .size = 8, .scalar = true, .show = PROBE_SHOW_ADDR };
		readable(v, &t, "$retval");
	} else if (!simple(&t)) {
		unavailable(v, "%s is returned by value, in more than one register", v->ctype);
	} else if (t.part[0] == CLASS_SSE || t.memory) {
		unavailable(v, "%s is returned in a floating point register, which the kernel's "
			    "probes cannot read", v->ctype);
	} else {
		readable(v, &t, "$retval");
	}
}

static void add_param(Dwarf_Die *param, struct dwarf_function *out, struct abi *abi, bool clone)
{
	const char *name = dwarf_diename(param);
	struct dwarf_value *v;
	struct abi_type t;
	Dwarf_Die type;

	out->params = xgrow(out->params, out->nparams, sizeof(*out->params));
	v = &out->params[out->nparams++];
	*v = (struct dwarf_value){ 0 };
	v->name = name ? xstrdup(name) : xasprintf("arg%zu", out->nparams);
	if (!type_of(param, &type)) {
		v->ctype = xstrdup("");
		unavailable(v, "the debug information does not tell its type");
		return;
	}
	v->ctype = type_text(&type, 0);
	abi_type_of(&type, &t);
	argloc_param(v, abi, &t);
	if (clone)
		unavailable(v, "the compiler made this copy of the function with parameters of its "
			    "own");
}

/* A function whose parameters the compiler changed says so in its symbol. */
static bool is_clone(struct elf_file *f, uint64_t vaddr)
{
	const struct elf_symbol *s = elf_function_at(f, vaddr);

	return s && (strstr(s->name, ".isra.") || strstr(s->name, ".constprop.") ||
		     strstr(s->name, ".part."));
}

bool dwarf_function_at(struct dwarf *d, uint64_t vaddr, struct dwarf_function *fn)
{
	struct search s = { .vaddr = vaddr };
	struct abi abi = { .stack = 8 };
	bool clone = is_clone(d->file, vaddr);
	Dwarf_Die unit, child;

	*fn = (struct dwarf_function){ 0 };
	if (!find_unit(d, vaddr, &unit))
		return false;
	dwarf_getfuncs(&unit, check_function, &s, 0);
	if (!s.found)
		return false;
	describe_return(&s.die, fn, &abi);
	if (dwarf_child(&s.die, &child) != 0)
		return true;
	do {
		if (dwarf_tag(&child) == DW_TAG_formal_parameter)
			add_param(&child, fn, &abi, clone);
	} while (fn->nparams < MAX_PARAMS && dwarf_siblingof(&child, &child) == 0);
	return true;
}

void dwarf_function_free(struct dwarf_function *fn)
{
	for (size_t i = 0; i < fn->nparams; i++) {
		free(fn->params[i].name);
		free(fn->params[i].ctype);
	}
	free(fn->params);
	free(fn->ret.name);
	free(fn->ret.ctype);
}

#else /* !HAVE_DW */

struct dwarf {
	struct elf_file *file;
};

struct dwarf *dwarf_open(struct elf_file *f, const char **why)
{
	struct dwarf *d = xcalloc(1, sizeof(*d));

	d->file = f;
	*why = "trawl was built without libdw";
	return d;
}

void dwarf_close(struct dwarf *d)
{
	free(d);
}

bool dwarf_function_at(struct dwarf *d, uint64_t vaddr, struct dwarf_function *fn)
{
	*fn = (struct dwarf_function){ 0 };
	return false;
}

void dwarf_function_free(struct dwarf_function *fn)
{
	*fn = (struct dwarf_function){ 0 };
}

bool dwarf_line_at(struct dwarf *d, uint64_t vaddr, char **file, unsigned int *line)
{
	return false;
}

const char *dwarf_unwinding_language(struct dwarf *d, uint64_t vaddr)
{
	return NULL;
}

#endif
