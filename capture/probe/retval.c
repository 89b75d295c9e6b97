/* SPDX-License-Identifier: MIT */
/*
 * The System V ABI for x86-64 (section 3.2.3) returns a value by the classes of its eightbytes:
 *
 *	integers, pointers      rax, and a second eightbyte in rdx
 *	float, double, vectors  xmm0, xmm1
 *	long double             st(0)
 *	padding after it        nowhere
 *	more than 16 bytes, and C++ types with a non-trivial copy constructor or destructor
 *	                        in memory, at an address that the caller passed and rax returns
 *
 * C and C++ follow it. Rust follows it for single numbers and pointers, Go if the first result is
 * one; results.c has the rest.
 *
 * A compiler that sees all callers may drop the return value. GCC does so in a copy of the function
 * with another name (.isra, .part, also .constprop); LLVM keeps the name.
 */
#include "capture/probe/retval.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "capture/probe/die.h"
#include "capture/probe/enumeration.h"
#include "capture/probe/language.h"
#include "capture/probe/param.h"
#include "capture/probe/results.h"
#include "capture/probe/typed.h"
#include "capture/sys/alloc.h"
#include "common/numbersize.h"

enum { GO_RESULTS = 16 };

__attribute__((format(printf, 2, 3))) static void unknown(struct dwarf_value *v, const char *why,
							  ...)
{
	va_list ap;

	v->argloc.form = ARGLOC_NONE;
	va_start(ap, why);
	vsnprintf(v->argloc.why, sizeof(v->argloc.why), why, ap);
	va_end(ap);
}

/* Describes a value of `size` bytes in a general register. */
static void in_register(struct dwarf_value *v, const char *reg, unsigned int size, char sign,
			enum probe_arg_show show)
{
	v->argloc = (struct argloc){ .form = ARGLOC_EXPR, .bits = size * 8,
				    .is_signed = sign == 's' };
	snprintf(v->argloc.expr, sizeof(v->argloc.expr), "%s", reg);
	snprintf(v->type, sizeof(v->type), "%c%u", sign, size * 8);
	v->show = show;
}

/* ---- the System V ABI ----------------------------------------------------------------------- */

static void in_memory(struct dwarf_value *v)
{
	char *of = v->ctype;

	/* What is recorded is the result's address. */
	v->ctype = xasprintf("%s *", of);
	free(of);
	in_register(v, "$retval", 8, 'x', PROBE_SHOW_ADDR);
	v->address = true;
}

/* Describes one of two eightbytes. */
static void place_part(struct dwarf_value *part, enum abi_class class, unsigned int size,
		       unsigned int *gp, unsigned int *sse)
{
	static const char *const regs[] = { "ax", "dx" };
	char reg[8];

	if (class == CLASS_NONE)
		return;
	part->ctype = xstrdup("");
	if (class == CLASS_SSE) {
		part->name = xasprintf("xmm%u", (*sse)++);
		unknown(part, "in %%%s, which the kernel's probes cannot read", part->name);
		return;
	}
	snprintf(reg, sizeof(reg), "%%%s", regs[*gp & 1]);
	part->name = xasprintf("r%s", regs[(*gp)++ & 1]);
	if (is_number_size(size))
		in_register(part, reg, size, 'x', PROBE_SHOW_HEX);
	else
		unknown(part, "%u bytes in %s; a type shows the whole register: %s:x64", size, reg,
			reg);
}

static void in_two_registers(struct dwarf_function *out, const struct abi_type *t)
{
	unsigned int gp = 0, sse = 0;

	unknown(&out->ret, "%s is returned in registers", out->ret.ctype);
	for (int i = 0; i < 2; i++)
		place_part(&out->parts[i], t->part[i], i ? t->size - 8 : 8, &gp, &sse);
	out->nparts = 2;
}

static void by_class(struct dwarf_function *out, const struct abi_type *t)
{
	struct dwarf_value *v = &out->ret;

	if (t->x87)
		unknown(v, "%s is returned in %%st(0), which the kernel's probes cannot read",
			v->ctype);
	else if (t->part[0] == CLASS_NONE && t->part[1] == CLASS_NONE)
		unknown(v, "%s has no value", v->ctype);
	else if (t->size > 8 && t->part[0] == CLASS_NONE) /* gcc gives unnamed bit fields one */
		unknown(v, "the debug information does not show whether the begin of %s has a "
			   "register", v->ctype);
	else if (t->size > 8 && t->part[0] == CLASS_SSE && t->part[1] != CLASS_INTEGER)
		unknown(v, "%s is returned in %%xmm0, which the kernel's probes cannot read",
			v->ctype);
	else if (t->size > 8)
		in_two_registers(out, t);
	else if (t->part[0] == CLASS_SSE)
		unknown(v, "%s is returned in %%xmm0, which the kernel's probes cannot read",
			v->ctype);
	else if (!is_number_size(t->size))
		unknown(v, "%s has %u bytes; a type shows the whole register: $retval:x64",
			v->ctype, t->size);
	else if (t->scalar)
		in_register(v, "$retval", t->size, t->show == PROBE_SHOW_ADDR ? 'x' :
			    t->is_signed ? 's' : 'u', t->show);
	else
		in_register(v, "$retval", t->size, 'x', PROBE_SHOW_HEX);
}

static void drop_results(struct dwarf_function *out)
{
	dwarf_function_free(out->results);
	free(out->results);
	out->results = NULL;
}

/* If the result in memory is a string with a length, it is shown as text. */
static void add_text_result(struct param_finder *f, Dwarf_Die *type, struct dwarf_function *out)
{
	static const struct location in_rax = {
		.list = true, .n = 1, .pieces = {{ .form = PIECE_MEMORY,
						   .at = { .base = BASE_REGISTER, .reg = 0 }}},
	};

	out->results = xcalloc(1, sizeof(*out->results));
	param_add_result(f, type, "retval", &in_rax, NULL, out->results);
	if (out->results->nparams && out->results->params[0].counted &&
	    !strcmp(out->results->params[0].name, "retval"))
		out->proof = PROOF_ADDRESS;
	else
		drop_results(out);
}

static bool is_available(const struct dwarf_function *results)
{
	for (size_t i = 0; i < results->nparams; i++)
		if (results->params[i].counted || results->params[i].argloc.form != ARGLOC_NONE)
			return true;
	return false;
}

/* A structure in registers is shown by its members, if they are few and some can be read. */
static void add_members(struct param_finder *f, Dwarf_Die *type, const struct abi_type *t,
			struct dwarf_function *out)
{
	static const int general[] = { 0, 1 }; /* %rax, %rdx */
	struct location loc = { .list = true };
	unsigned int gp = 0, sse = 0;
	Dwarf_Die peeled;

	if (!dwarf_peel(type, &peeled) || !dwarf_is_class(&peeled))
		return;
	for (unsigned int i = 0; i * 8 < t->size; i++) {
		struct piece *p = &loc.pieces[loc.n++];

		if (t->part[i] == CLASS_X87)
			return;
		*p = (struct piece){ .start = 8 * i, .size = 8 };
		p->form = t->part[i] == CLASS_NONE ? PIECE_NOWHERE : PIECE_REGISTER;
		if (p->form == PIECE_REGISTER)
			p->at.reg = t->part[i] == CLASS_SSE ? DWARF_XMM0 + (int)sse++ :
				    general[gp++];
	}
	out->results = xcalloc(1, sizeof(*out->results));
	param_add_result(f, type, "retval", &loc, NULL, out->results);
	if (!is_available(out->results) || !strcmp(out->results->params[0].name, "retval"))
		drop_results(out);
}

static void by_system_v(struct param_finder *f, Dwarf_Die *type, bool scalars_only,
			struct dwarf_function *out)
{
	struct dwarf_value *v = &out->ret;
	struct abi_type t;
	Dwarf_Die peeled;

	abi_type_of(type, &t);
	v->names = enumeration_names(type, t.is_signed);
	if (t.scalar && t.size == 0 && dwarf_peel(type, &peeled) &&
	    dwarf_tag(&peeled) == DW_TAG_base_type) /* Rust's () */
		unknown(v, "the function returns nothing");
	else if (scalars_only && !t.scalar)
		unknown(v, "%s: how its language returns what is not one number is not supported",
			v->ctype);
	else if (t.passing == PASSED_BY_ADDRESS || (t.memory && !t.x87 && !t.wide)) {
		f->abi.gp++;
		in_memory(v);
		add_text_result(f, type, out);
	} else if (t.wide || t.passing == PASSING_UNKNOWN) {
		f->abi.gp_unknown = true;
		unknown(v, t.wide ? "%s is returned in a register or in memory, depending on the "
				    "compiler's options" :
				    "the debug information does not show whether %s is returned "
				    "in a register or in memory", v->ctype);
	} else if (t.scalar && t.undecoded && t.part[0] == CLASS_INTEGER) {
		unknown(v, "the number format of %s is not supported", v->ctype);
	} else {
		by_class(out, &t);
		if (!t.scalar && t.size <= 16 && t.part[0] != CLASS_NONE)
			add_members(f, type, &t, out);
	}
}

/* ---- Go ------------------------------------------------------------------------------------- */

static bool has_register_abi(Dwarf_Die *unit)
{
	return strstr(dwarf_producer(unit), "regabi");
}

/*
 * Go's results are parameters marked as variable. Finds the next one from *child on; *type is its
 * type.
 */
static bool next_result(Dwarf_Die *child, Dwarf_Die *type)
{
	do {
		Dwarf_Attribute attr;
		bool result = false;

		if (dwarf_tag(child) == DW_TAG_formal_parameter &&
		    dwarf_attr_integrate(child, DW_AT_variable_parameter, &attr) &&
		    dwarf_formflag(&attr, &result) == 0 && result &&
		    dwarf_type_of(child, type))
			return true;
	} while (dwarf_siblingof(child, child) == 0);
	return false;
}

/* True if the result was listed already: Go up to 1.19 lists unnamed results twice. */
static bool repeated(Dwarf_Die *result, char *const *names, int n)
{
	const char *name = dwarf_diename(result);

	for (int i = 0; i < n; i++) {
		if (name && names[i] && !strcmp(names[i], name))
			return true;
	}
	return false;
}

/*
 * True if the name fits the n-th result: unnamed results are called "~r1" by their number. If one
 * is missing, the registers of those after it are unknown.
 */
static bool is_number(Dwarf_Die *result, int n)
{
	const char *name = dwarf_diename(result);
	int is;

	return !name || sscanf(name, "~r%d", &is) != 1 || is == n;
}

/* Adds all results to out->results: the first is "retval", the next ones "retval2" and so on. */
static void add_go_results(struct param_finder *f, Dwarf_Die child, struct dwarf_function *out)
{
	struct go_results taken = { 0 };
	char *names[GO_RESULTS] = { NULL };
	bool numbered = true;
	Dwarf_Die type;
	int n = 0;

	out->results = xcalloc(1, sizeof(*out->results));
	while (next_result(&child, &type) && n < GO_RESULTS) {
		char why[160] = "the debug information does not have all results", *name;
		const char *of = dwarf_diename(&child);
		struct location loc;
		bool known;

		if (!repeated(&child, names, n)) {
			name = n ? xasprintf("retval%d", n + 1) : xstrdup("retval");
			numbered &= is_number(&child, n);
			known = numbered && results_of_go(&type, &taken, &loc, why, sizeof(why));
			param_add_result(f, &type, name, known ? &loc : NULL, why, out->results);
			names[n++] = of ? xstrdup(of) : NULL;
			free(name);
		}
		if (dwarf_siblingof(&child, &child) != 0)
			break;
	}
	while (n--)
		free(names[n]);
}

/* True if the function has more than one result. */
static bool has_several(Dwarf_Die first)
{
	char *name = xstrdup(dwarf_diename(&first) ? dwarf_diename(&first) : "");
	Dwarf_Die type;
	bool several = false;

	while (!several && dwarf_siblingof(&first, &first) == 0 && next_result(&first, &type))
		several = !repeated(&first, &name, 1);
	free(name);
	return several;
}

static void by_go(struct param_finder *f, struct dwarf_function *out)
{
	struct dwarf_value *v = &out->ret;
	Dwarf_Die first, type;
	struct abi_type t;

	/* Functions in assembly have no parameters in DWARF either. */
	if (dwarf_child(f->function, &first) != 0 || !next_result(&first, &type)) {
		v->ctype = xstrdup("");
		unknown(v, "the debug information has no result of the function");
		return;
	}
	v->ctype = dwarf_type_text(&type, 0);
	abi_type_of(&type, &t);
	if (!has_register_abi(f->unit)) {
		unknown(v, "Go before 1.17 returns values on the stack");
		return;
	}
	if (t.scalar && is_number(&first, 0))
		by_class(out, &t);
	else
		unknown(v, "%s is no single number: Go returns its parts in %%ax, %%bx, %%cx, ...",
			v->ctype);
	if (!t.scalar || !is_number(&first, 0) || has_several(first))
		add_go_results(f, first, out);
}

/* ---- Rust ----------------------------------------------------------------------------------- */

static bool made_by_rustc(Dwarf_Die *unit)
{
	return strstr(dwarf_producer(unit), "rustc");
}

/* Describes a Rust result that is no single number. */
static void by_rust(struct param_finder *f, Dwarf_Die *type, struct dwarf_function *out)
{
	static const enum ret_proof proofs[] = { [RUST_IN_RAX] = PROOF_USED,
						 [RUST_PAIR] = PROOF_BOTH_USED,
						 [RUST_SMALL_PAIR] = PROOF_PAIR,
						 [RUST_IN_MEMORY] = PROOF_ADDRESS };
	struct dwarf_value *v = &out->ret, *first;
	enum rust_result form;
	struct location loc;
	char why[160];

	if (!results_of_rust(type, &loc, &form, why, sizeof(why))) {
		unknown(v, "%s: %s", v->ctype, why);
		return;
	}
	out->proof = proofs[form];
	unknown(v, "%s is shown by its members", v->ctype);
	out->results = xcalloc(1, sizeof(*out->results));
	param_add_result(f, type, "retval", &loc, NULL, out->results);
	first = out->results->params;
	if (form == RUST_IN_MEMORY)
		in_memory(v);
	/*
	 * If the type has too many members to show, the address remains, or the reason why there is
	 * no value.
	 */
	if (out->results->nparams == 1 && first->argloc.form == ARGLOC_NONE && !first->counted) {
		if (form != RUST_IN_MEMORY)
			unknown(v, "%s", first->argloc.why);
		drop_results(out);
	}
}

/* ---- what the compiler took away ------------------------------------------------------------ */

/* True if the compiler may have dropped the return value because it saw all callers. */
static bool doubtful(const struct param_finder *f)
{
	const struct elf_symbol *symbol = f->symbol;
	const char *producer = dwarf_producer(f->unit);

	if (dwarf_udata(f->function, DW_AT_calling_convention, 0) == DW_CC_nocall)
		return true;
	if (!symbol)
		return true;
	if (strstr(symbol->name, ".isra.") || strstr(symbol->name, ".part.") ||
	    strstr(symbol->name, ".constprop."))
		return true;
	return !symbol->global &&
	       (strstr(producer, "clang") || strstr(producer, "LLVM") || strstr(producer, "rustc"));
}

/*
 * Free Pascal returns its integers with a fraction in %st(0): Currency, Comp, and types of their
 * own that are made of them. Of its integers of 8 bytes with a sign, only "Int64" is a plain one.
 */
static bool is_fraction_of_pascal(Dwarf_Die *unit, Dwarf_Die *from)
{
	const char *name;
	Dwarf_Die type;

	if (dwarf_srclang(unit) != DW_LANG_Pascal83 || !dwarf_peel(from, &type) ||
	    dwarf_tag(&type) != DW_TAG_base_type ||
	    dwarf_udata(&type, DW_AT_encoding, 0) != DW_ATE_signed ||
	    dwarf_udata(&type, DW_AT_byte_size, 0) != 8)
		return false;
	name = dwarf_diename(&type);
	return !name || strcasecmp(name, "Int64");
}

void retval_describe(struct param_finder *f, struct dwarf_function *out)
{
	enum convention convention = language_of(dwarf_srclang(f->unit))->convention;
	struct dwarf_value *v = &out->ret;
	struct abi_type t;
	Dwarf_Die type;

	v->name = xstrdup("");
	if (convention == CONVENTION_GO) {
		by_go(f, out);
		return;
	}
	if (!dwarf_type_of(f->function, &type)) {
		v->ctype = xstrdup("void");
		unknown(v, convention == CONVENTION_OWN ?
				   "the debug information does not describe what it returns" :
				   "the function returns nothing");
		return;
	}
	v->ctype = dwarf_type_text(&type, 0);
	v->text = typed_text_of(&type);
	abi_type_of(&type, &t);
	if (convention == CONVENTION_OWN)
		unknown(v, "the convention by which its language returns values is unknown");
	else if (is_fraction_of_pascal(f->unit, &type))
		unknown(v, "%s is returned in %%st(0), which the kernel's probes cannot read",
			v->ctype);
	else if (!t.scalar && made_by_rustc(f->unit))
		by_rust(f, &type, out);
	else
		by_system_v(f, &type, convention == CONVENTION_SCALARS, out);
	if (v->argloc.form == ARGLOC_NONE && !out->nparts && !out->results)
		out->proof = PROOF_NONE;
	else if (out->proof != PROOF_PAIR && !doubtful(f))
		out->proof = PROOF_NONE;
	else if (out->proof == PROOF_NONE)
		out->proof = out->nparts && out->parts[1].name ? PROOF_BOTH_USED : PROOF_USED;
}

void retval_recheck(const struct param_finder *f, struct dwarf_function *out)
{
	struct abi_type t;
	Dwarf_Die type;

	if (!f->departs || !dwarf_type_of(f->function, &type))
		return;
	abi_type_of(&type, &t);
	if (t.scalar && !out->nparts)
		return;
	for (size_t i = 0; i < out->nparts; i++) {
		free(out->parts[i].name);
		free(out->parts[i].ctype);
	}
	out->nparts = 0;
	if (out->results)
		drop_results(out);
	out->proof = PROOF_NONE;
	unknown(&out->ret, "the function does not follow the C calling convention, so where it "
			   "returns %s is unknown", out->ret.ctype);
}

#endif
