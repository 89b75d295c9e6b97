/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/probe/typed.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/probe/abi.h"
#include "capture/probe/arrayshape.h"
#include "capture/probe/die.h"
#include "capture/probe/enumeration.h"
#include "capture/probe/language.h"
#include "capture/probe/names.h"
#include "capture/probe/paramargloc.h"
#include "capture/probe/text.h"
#include "capture/probe/variant.h"
#include "capture/sys/alloc.h"

enum {
	LEAVES_MAX = 8,
	MEMBERS_MAX = 64,
	DEPTH_MAX = 8,
	DATA_MAX = 16,
	ARRAY_MAX = 64, /* elements, as tracefs has it */
};

static bool simple(const struct abi_type *t)
{
	return t->scalar && (t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8);
}

/* ---- texts with a length -------------------------------------------------------------------- */

/* The location of 8 bytes at `offset` of the object whose address is at place. */
static bool after(const struct argloc *argloc, unsigned int offset, struct argloc *to)
{
	*to = (struct argloc){ .form = ARGLOC_EXPR, .bits = 64 };
	return argloc->form == ARGLOC_EXPR && !argloc->shift &&
	       snprintf(to->expr, sizeof(to->expr), "+%u(%s)", offset, argloc->expr) <
		       (int)sizeof(to->expr);
}

/*
 * Finds pointer and length of a string that is passed by value; false if one of them is
 * unavailable.
 */
static bool text_by_value(const struct param *q, const struct text_shape *shape,
			  unsigned int offset, struct dwarf_counted *c)
{
	struct argloc first = { .bits = 64 };

	c->pointer = c->length = first;
	if (shape->form == COUNTED_LIBCXX && !param_find(q, offset, false, &first))
		return false;
	c->object = first;
	c->object.object = true;
	return param_find(q, offset + shape->pointer, false, &c->pointer) &&
	       param_find(q, offset + shape->length, false, &c->length) &&
	       c->pointer.form == ARGLOC_EXPR && !c->pointer.shift;
}

static bool text_by_reference(const struct dwarf_value *v, const struct text_shape *shape,
			      struct dwarf_counted *c)
{
	c->object = v->argloc;
	return after(&v->argloc, shape->pointer, &c->pointer) &&
	       after(&v->argloc, shape->length, &c->length);
}

static void add_text(struct dwarf_value *v, const struct text_shape *shape,
		     struct dwarf_counted *c)
{
	c->form = shape->form;
	v->counted = xcalloc(1, sizeof(*c));
	*v->counted = *c;
}

/* If the value is a reference to a string, finds its pointer and length. */
static void refer_to_text(const struct param *q, Dwarf_Die *type, struct dwarf_value *v)
{
	struct dwarf_counted c = { 0 };
	struct text_shape shape;

	if (text_shape_of(type, param_language(q), &shape) && shape.reference &&
	    text_by_reference(v, &shape, &c))
		add_text(v, &shape, &c);
}

/* ---- scalars and their texts ----------------------------------------------------------------- */

/* Sets the types of a scalar whose location is known. */
static void set_type(struct dwarf_value *v, const struct abi_type *t)
{
	bool hex = t->is_float || t->show == PROBE_SHOW_ADDR;

	snprintf(v->own, sizeof(v->own), "%c%u", t->is_float ? 'f' : hex ? 'x' :
		 t->is_signed ? 's' : 'u', t->size * 8);
	/* Bits in the middle of a register can be recorded only as a wider unsigned integer. */
	snprintf(v->type, sizeof(v->type), "%c%u", v->argloc.shift ? 'u' : hex ? 'x' :
		 t->is_signed ? 's' : 'u', v->argloc.shift ? 64 : t->size * 8);
	v->show = t->show;
}

/* What ":string" records of an object of this class: only libstdc++'s std::string has a NUL. */
static enum dwarf_text text_in(Dwarf_Die *object)
{
	static const char string[] = "basic_string<char,", view[] = "basic_string_view<";
	const char *name = dwarf_diename(object);
	Dwarf_Die member;

	if (!name || strncmp(name, "basic_string", 12))
		return DWARF_TEXT;
	if (!strncmp(name, view, sizeof(view) - 1) || strncmp(name, string, sizeof(string) - 1) ||
	    dwarf_child(object, &member) != 0)
		return DWARF_TEXT_COUNTED;
	do {
		const char *of = dwarf_diename(&member);
		unsigned int at;

		if (dwarf_tag(&member) == DW_TAG_member && of && !strcmp(of, "_M_dataplus") &&
		    dwarf_member_at(&member, &at) && !at)
			return DWARF_TEXT_POINTED;
	} while (dwarf_siblingof(&member, &member) == 0);
	return DWARF_TEXT_COUNTED;
}

enum dwarf_text typed_text_of(Dwarf_Die *from)
{
	Dwarf_Die type, under;

	if (!dwarf_peel(from, &type))
		return DWARF_TEXT;
	if (!dwarf_is_class(&type) &&
	    (!dwarf_type_of(&type, &under) || !dwarf_peel(&under, &type)))
		return DWARF_TEXT;
	return text_in(&type);
}

/* The same of a value; strings of Go and Rust have a length, too. */
static enum dwarf_text text_of(const struct param *q, Dwarf_Die *from)
{
	int language = param_language(q);

	return language == DW_LANG_Go || language == DW_LANG_Rust ? DWARF_TEXT_COUNTED :
								    typed_text_of(from);
}

/* Why a value that is one in the language is none that is shown; NULL: it can be shown. */
static const char *no_number(Dwarf_Die *from, const struct abi_type *t)
{
	Dwarf_Die type;

	if (!dwarf_peel(from, &type))
		return NULL;
	if (dwarf_tag(&type) == DW_TAG_ptr_to_member_type)
		return "pointers to members of classes are not supported";
	if (dwarf_udata(&type, DW_AT_encoding, 0) == DW_ATE_complex_float)
		return "complex numbers are not supported";
	if (dwarf_tag(&type) == DW_TAG_subrange_type)
		return dwarf_hasattr_integrate(&type, DW_AT_GNU_bias) ?
			       "numbers that are stored relative to the first of their range are "
			       "not supported" :
			       "numbers that take fewer bytes than their type are not supported";
	return dwarf_tag(&type) == DW_TAG_base_type && !t->size ? "a value of its type has no bytes" :
								  NULL;
}

static void find_scalar(const struct param *q, Dwarf_Die *type, unsigned int offset, bool whole,
			struct dwarf_value *v)
{
	struct abi_type t;

	abi_type_of(type, &t);
	v->text = text_of(q, type);
	v->argloc = (struct argloc){ .bits = t.size * 8, .is_signed = t.is_signed,
				    .is_float = t.is_float };
	if (no_number(type, &t))
		argloc_none(&v->argloc, "%s", no_number(type, &t));
	else if (t.undecoded)
		argloc_none(&v->argloc, "the number format of %s is not supported", v->ctype);
	else if (dwarf_tag(type) == DW_TAG_string_type && !t.size)
		argloc_none(&v->argloc, "a text whose length is known only when the program runs; write "
			    "+0(REGISTER):x8[N] for N bytes of it");
	else if (!simple(&t))
		argloc_none(&v->argloc, "the kernel's probes cannot record a value of %u bytes", t.size);
	else if (param_find(q, offset, whole, &v->argloc))
		set_type(v, &t);
	v->names = enumeration_names(type, t.is_signed);
	if (v->argloc.form != ARGLOC_NONE)
		refer_to_text(q, type, v);
}

/* ---- arrays and objects as a whole ----------------------------------------------------------- */

/* The number of elements that an array has in all its dimensions; 0: unknown. */
static unsigned int elements(Dwarf_Die *array, unsigned int size)
{
	Dwarf_Word all;

	return size && dwarf_aggregate_size(array, &all) == 0 && all <= UINT32_MAX ?
		       (unsigned int)all / size : 0;
}

/*
 * Sets the type by which an array is recorded. Without it, v->type is "" and place.why says what
 * the user can write.
 */
static void set_array(Dwarf_Die *array, struct dwarf_value *v)
{
	struct abi_type t = { 0 };
	unsigned int n = 0;
	Dwarf_Die of;
	bool text;

	if (dwarf_type_of(array, &of)) {
		abi_type_of(&of, &t);
		n = elements(array, t.size);
	}
	text = t.show == PROBE_SHOW_CHAR && t.size == 1;
	if (!simple(&t) || t.is_float)
		snprintf(v->argloc.why, sizeof(v->argloc.why), "%s: write [N] after it for one of "
			 "its elements", v->ctype);
	else if (!n || n > ARRAY_MAX)
		snprintf(v->argloc.why, sizeof(v->argloc.why), "%s is recorded as %s, or [N] after "
			 "it for one element", v->ctype, text ? ":string (up to its NUL) or "
			 ":char[64]" : ":TYPE[64] at most");
	else if (text)
		snprintf(v->type, sizeof(v->type), "char[%u]", n & 127);
	else
		snprintf(v->type, sizeof(v->type), "%c%u[%u]", t.show == PROBE_SHOW_ADDR ? 'x' :
			 t.is_signed ? 's' : 'u', t.size * 8 & 127, n & 127);
	v->show = text ? PROBE_SHOW_TEXT : t.show;
}

/*
 * Finds an object that is passed by value in memory: its first and its last byte are as far from
 * each other as in the type. Otherwise its parts are in registers.
 */
static bool find_memory(const struct param *q, Dwarf_Die *type, unsigned int offset,
			struct argloc *argloc)
{
	struct argloc first = { .bits = 8 }, last = { .bits = 8 };
	long from, to;
	int of_first = 0, of_last = 0;
	Dwarf_Word size;

	if (dwarf_aggregate_size(type, &size) != 0 || !size || size > INT32_MAX - offset ||
	    !param_find(q, offset, false, &first) || first.form != ARGLOC_EXPR ||
	    !param_find(q, offset + (unsigned int)size - 1, false, &last) ||
	    last.form != ARGLOC_EXPR || sscanf(first.expr, "%ld%n", &from, &of_first) != 1 ||
	    sscanf(last.expr, "%ld%n", &to, &of_last) != 1 || to - from != (long)size - 1 ||
	    strcmp(first.expr + of_first, last.expr + of_last) != 0)
		return false;
	*argloc = first;
	argloc->bits = 64; /* what is recorded is found by its address */
	return true;
}

/*
 * Describes an array, or a structure of many members, which only the user's TYPE can record.
 * nothing: it has no members.
 */
static void set_object(const struct param *q, Dwarf_Die *peeled, unsigned int offset, bool nothing,
		       struct dwarf_value *v)
{
	struct array_shape shape = { 0 };

	v->text = text_in(peeled);
	if (dwarf_tag(peeled) == DW_TAG_array_type)
		array_shape_of(peeled, &shape);
	if (shape.elsewhere) {
		argloc_none(&v->argloc, "%s: %s", v->ctype, shape.elsewhere);
		return;
	}
	if (param_is_object(q) && !param_find(q, offset, false, &v->argloc))
		return;
	v->argloc.object = param_is_object(q) || find_memory(q, peeled, offset, &v->argloc);
	if (dwarf_tag(peeled) == DW_TAG_array_type && v->argloc.object) {
		set_array(peeled, v);
	} else if (shape.dimensions && !shape.n) {
		argloc_none(&v->argloc, "%s: how many elements it has is known only when the program "
			    "runs; write [N] after it", v->ctype);
	} else if (dwarf_tag(peeled) == DW_TAG_array_type ||
		   dwarf_tag(peeled) == DW_TAG_union_type) {
		argloc_none(&v->argloc, "%s is %s and passed by value; write %s after it", v->ctype,
			    dwarf_tag(peeled) == DW_TAG_array_type ? "an array" : "a union",
			    dwarf_tag(peeled) == DW_TAG_array_type ? "[N]" : "a member");
	} else {
		argloc_none(&v->argloc, "%s has %s", v->ctype, nothing ? "no members" :
			    "more members than are shown at once; write one of them after it");
	}
	if (v->argloc.object)
		v->argloc.form = ARGLOC_EXPR; /* a TYPE of the user's reads it */
}

/* ---- values of several parts -------------------------------------------------------------- */

static struct dwarf_value *add_value(struct dwarf_function *out, const char *name, Dwarf_Die *type)
{
	struct dwarf_value *v;

	xgrow(out->params, out->nparams);
	v = &out->params[out->nparams++];
	*v = (struct dwarf_value){ .name = xstrdup(name), .ctype = dwarf_type_text(type, 0) };
	return v;
}

void typed_add_missing(struct dwarf_function *out, const char *name, const char *why)
{
	argloc_none(&add_value(out, name, NULL)->argloc, "%s", why);
}

static unsigned int count_leaves(const struct param *q, Dwarf_Die *from, int depth);

/* Counts the scalars in all alternatives. Above DATA_MAX, only the tag is shown. */
static unsigned int count_data(const struct param *q, const struct variants *v, int depth)
{
	unsigned int n = 0;

	for (size_t i = 0; i < v->n && n <= DATA_MAX; i++) {
		unsigned int k = v->list[i].data ? count_leaves(q, &v->list[i].type, depth + 1) : 0;

		n += k > LEAVES_MAX ? 1 : k;
	}
	return n;
}

static bool count_variants(const struct param *q, Dwarf_Die *type, int depth, unsigned int *n)
{
	struct variants v;

	if (!variants_of(type, param_language(q), &v))
		return false;
	*n = count_data(q, &v, depth);
	*n = *n > DATA_MAX ? 1 : *n + 1;
	variants_free(&v);
	return true;
}

/* True for a string with a length, but not for a reference to one. */
static bool is_text(const struct param *q, Dwarf_Die *type)
{
	struct text_shape shape;

	return text_shape_of(type, param_language(q), &shape) && !shape.reference;
}

/*
 * Counts the scalars of a type by its members; above LEAVES_MAX if it cannot be shown by them.
 */
static unsigned int count_members(const struct param *q, Dwarf_Die *from, int depth)
{
	Dwarf_Die type, child;
	unsigned int n = 0, members = 0;

	if (depth > DEPTH_MAX || !dwarf_peel(from, &type))
		return LEAVES_MAX + 1;
	switch (dwarf_tag(&type)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		break;
	default:
		return 1;
	}
	if (dwarf_child(&type, &child) != 0)
		return 0;
	do {
		int tag = dwarf_tag(&child);
		Dwarf_Die member;

		if (tag == DW_TAG_variant_part || ++members > MEMBERS_MAX)
			return LEAVES_MAX + 1;
		/* Member functions and types do not count as members. */
		members -= tag == DW_TAG_subprogram || tag == DW_TAG_typedef;
		if (!dwarf_is_part(&child))
			continue;
		if (!dwarf_type_of(&child, &member))
			return LEAVES_MAX + 1;
		n += count_leaves(q, &member, depth + 1);
	} while (n <= LEAVES_MAX && dwarf_siblingof(&child, &child) == 0);
	return n;
}

/* Counts the values that show a type: its scalars and texts. */
static unsigned int count_leaves(const struct param *q, Dwarf_Die *from, int depth)
{
	Dwarf_Die type;
	unsigned int n = 0;

	if (depth > DEPTH_MAX || !dwarf_peel(from, &type))
		return LEAVES_MAX + 1;
	if (count_variants(q, &type, depth, &n))
		return n;
	return is_text(q, &type) ? 1 : count_members(q, &type, depth);
}

static void add_leaves(const struct param *q, Dwarf_Die *from, const char *name,
		       unsigned int offset, struct dwarf_function *out);
static void add_members(const struct param *q, Dwarf_Die *type, const char *name,
			unsigned int offset, struct dwarf_function *out);

/*
 * Adds a string that is passed by value, and after it its members if they are few. A string of
 * which a part is unavailable is shown by its members alone. False if the type is no string.
 */
static bool add_text_value(const struct param *q, Dwarf_Die *type, const char *name,
			   unsigned int offset, struct dwarf_function *out)
{
	struct dwarf_counted c = { 0 };
	struct text_shape shape;
	struct dwarf_value *v;
	Dwarf_Die object;
	size_t members;
	unsigned int n;
	bool whole;

	if (!text_shape_of(type, param_language(q), &shape) || shape.reference ||
	    !dwarf_peel(type, &object))
		return false;
	n = count_members(q, &object, 0);
	whole = text_by_value(q, &shape, offset, &c);
	if (whole) {
		v = add_value(out, name, type);
		argloc_none(&v->argloc, "a text by value has no address; its members do");
		add_text(v, &shape, &c);
	} else if (!n || n > LEAVES_MAX) {
		v = add_value(out, name, type);
		argloc_none(&v->argloc, "%s", *c.pointer.why ? c.pointer.why : c.length.why);
	}
	members = out->nparams;
	if (n && n <= LEAVES_MAX)
		add_members(q, &object, name, offset, out);
	for (; members < out->nparams; members++)
		out->params[members].member = whole;
	return true;
}

/* Finds a bit field, through the storage unit of its type that contains it. */
static void find_bits(const struct param *q, Dwarf_Die *type, unsigned int bit, unsigned int width,
		      struct dwarf_value *v)
{
	struct argloc *argloc = &v->argloc;
	unsigned int unit, at;
	struct abi_type t;

	abi_type_of(type, &t);
	unit = t.size * 8;
	if (!simple(&t) || !width || bit % unit + width > unit) {
		argloc_none(argloc,
			    "a bit field in several numbers, which the kernel's probes cannot read");
		return;
	}
	*argloc = (struct argloc){ .bits = unit };
	if (!param_find(q, bit / unit * t.size, false, argloc))
		return;
	at = argloc->shift + bit % unit;
	v->show = t.show == PROBE_SHOW_BOOL ? t.show : v->show;
	v->names = t.is_signed ? NULL : enumeration_names(type, false);
	if (argloc->form == ARGLOC_IMM) {
		argloc->imm = argloc->imm << (unit - width - bit % unit) << (64 - unit);
		argloc->imm = t.is_signed ? (uint64_t)((int64_t)argloc->imm >> (64 - width)) :
					   argloc->imm >> (64 - width);
		snprintf(v->type, sizeof(v->type), "%c%u", t.is_signed ? 's' : 'u', unit);
		return;
	}
	if (t.is_signed) /* the kernel reads it as an unsigned number */
		v->bits = width;
	snprintf(v->own, sizeof(v->own), "%c%u", t.is_signed ? 's' : 'u', unit & 127);
	unit = *argloc->expr == '%' ? 64 : unit;
	argloc->shift = 0;
	argloc->bits = unit;
	snprintf(v->type, sizeof(v->type), "b%u@%u/%u", width & 127, at & 127, unit & 127);
}

/* ---- alternatives --------------------------------------------------------------------------- */

/*
 * Adds the tag, the number of the alternative that is present. Returns its number in
 * out->params.
 */
static size_t add_tag(const struct param *q, struct variants *v, const char *name,
		      unsigned int offset, struct dwarf_function *out)
{
	struct dwarf_value *to = add_value(out, name, NULL);

	free(to->ctype);
	to->ctype = xstrdup(v->ctype);
	if (v->tagged) {
		find_scalar(q, &v->tag, offset + v->tag_at, false, to);
		value_names_free(to->names);
	} else {
		to->argloc = (struct argloc){ .form = ARGLOC_IMM, .bits = 8 };
		snprintf(to->type, sizeof(to->type), "u8");
	}
	to->names = variants_names(v);
	to->show = PROBE_SHOW_VARIANT;
	to->text = DWARF_TEXT_COUNTED;
	return out->nparams - 1;
}

/* Adds the data of one alternative, under its name. */
static void add_data(const struct param *q, struct alternative *a, const char *name,
		     unsigned int offset, struct dwarf_function *out)
{
	if (count_leaves(q, &a->type, 0) <= LEAVES_MAX) {
		add_leaves(q, &a->type, name, offset, out);
	} else {
		struct dwarf_value *to = add_value(out, name, &a->type);

		argloc_none(&to->argloc, "%s has more members than are shown", to->ctype);
	}
}

/* Adds a value that has alternatives. False if the type has none. */
static bool add_variants(const struct param *q, Dwarf_Die *type, const char *name,
			 unsigned int offset, struct dwarf_function *out)
{
	struct variants v;
	bool shown;
	size_t tag;

	if (!variants_of(type, param_language(q), &v))
		return false;
	tag = add_tag(q, &v, name, offset, out);
	shown = count_data(q, &v, 0) <= DATA_MAX && out->params[tag].argloc.form != ARGLOC_NONE;
	for (size_t i = 0; shown && i < v.n; i++) {
		struct alternative *a = &v.list[i];
		char *path = xasprintf("%s.%s", name, a->name);
		size_t k = out->nparams;

		if (a->data)
			add_data(q, a, path, offset + a->offset, out);
		for (; k < out->nparams; k++) {
			if (out->params[k].only_of)
				continue;
			out->params[k].only_of = tag + 1;
			out->params[k].only_if = xstrdup(a->name);
		}
		free(path);
	}
	variants_free(&v);
	return true;
}

/* Adds one member of a structure, or a base class; `name`: the structure's. */
static void add_member(const struct param *q, Dwarf_Die *child, const char *name,
		       unsigned int offset, struct dwarf_function *out)
{
	unsigned int width = dwarf_udata(child, DW_AT_bit_size, 0), at;
	const char *of = dwarf_diename(child);
	Dwarf_Die member;
	char *path;
	bool known;

	if (!dwarf_is_part(child) || !dwarf_type_of(child, &member))
		return;
	known = dwarf_member_at(child, &at);
	if (!known && !of)
		of = dwarf_diename(&member);
	path = !of ? xstrdup(name) : xasprintf("%s.%s", name, of);
	if (!known)
		argloc_none(&add_value(out, path, &member)->argloc, "its offset in the object "
			    "is known only at run time");
	else if (width)
		find_bits(q, &member, offset * 8 + dwarf_first_bit(child, width), width,
			  add_value(out, path, &member));
	else
		add_leaves(q, &member, path, offset + at, out);
	free(path);
}

static void add_members(const struct param *q, Dwarf_Die *type, const char *name,
			unsigned int offset, struct dwarf_function *out)
{
	size_t before = out->nparams;
	Dwarf_Die child;

	if (dwarf_child(type, &child) != 0)
		return;
	do
		add_member(q, &child, name, offset, out);
	while (dwarf_siblingof(&child, &child) == 0);
	if (text_in(type) == DWARF_TEXT_COUNTED) {
		for (; before < out->nparams; before++)
			out->params[before].text = DWARF_TEXT_COUNTED;
	}
}

/*
 * Adds an array that is passed in registers by its elements. False if it is in memory, or its
 * elements are characters, no numbers or too many.
 */
static bool add_elements(const struct param *q, Dwarf_Die *array, const char *name,
			 unsigned int offset, struct dwarf_function *out)
{
	struct array_shape shape = { 0 };
	struct argloc memory;
	struct abi_type t;
	Dwarf_Die of;

	if (param_is_object(q) || find_memory(q, array, offset, &memory) ||
	    !dwarf_type_of(array, &of))
		return false;
	abi_type_of(&of, &t);
	array_shape_of(array, &shape);
	if (shape.elsewhere || shape.dimensions != 1 || shape.n > LEAVES_MAX || !shape.n ||
	    !simple(&t) || t.show == PROBE_SHOW_CHAR)
		return false;
	for (unsigned int i = 0; i < shape.n; i++) {
		char *path = xasprintf("%s[%" PRId64 "]", name, shape.first + i);

		find_scalar(q, &of, offset + i * t.size, false, add_value(out, path, &of));
		free(path);
	}
	return true;
}

/* Adds a value as its type is shown: by its alternatives, as a text, a number, or by members. */
static void add_leaves(const struct param *q, Dwarf_Die *from, const char *name,
		       unsigned int offset, struct dwarf_function *out)
{
	Dwarf_Die type;

	if (add_variants(q, from, name, offset, out) || add_text_value(q, from, name, offset, out))
		return;
	switch (dwarf_peel(from, &type) ? dwarf_tag(&type) : 0) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		add_members(q, &type, name, offset, out);
		break;
	case DW_TAG_union_type:
		set_object(q, &type, offset, false, add_value(out, name, from));
		break;
	case DW_TAG_array_type:
		if (!add_elements(q, &type, name, offset, out))
			set_object(q, &type, offset, false, add_value(out, name, from));
		break;
	default:
		find_scalar(q, from, offset, false, add_value(out, name, from));
	}
}

static bool is_scalar(Dwarf_Die *type)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_array_type:
		return false;
	default:
		return true;
	}
}

/*
 * Whether the value may be behind a null pointer although the program itself follows it: Fortran
 * passes references, and null for an optional parameter that is absent.
 */
static bool may_be_absent(const struct param *q)
{
	return language_of(param_language(q))->null_references;
}

void typed_add(const struct param *q, Dwarf_Die *type, const char *name, unsigned int offset,
	       bool whole, struct dwarf_function *out)
{
	size_t before = out->nparams;
	Dwarf_Die peeled;
	unsigned int n;

	if (!dwarf_peel(type, &peeled))
		return;
	n = is_scalar(&peeled) ? 1 : count_leaves(q, &peeled, 0);
	if (is_scalar(&peeled))
		find_scalar(q, type, offset, whole, add_value(out, name, type));
	else if (n && n <= LEAVES_MAX)
		add_leaves(q, type, name, offset, out);
	else
		set_object(q, &peeled, offset, !n, add_value(out, name, type));
	for (; before < out->nparams; before++)
		out->params[before].followed = param_is_object(q) || may_be_absent(q);
}

void typed_add_bits(const struct param *q, Dwarf_Die *type, const char *name, unsigned int bit,
		    unsigned int width, struct dwarf_function *out)
{
	find_bits(q, type, bit, width, add_value(out, name, type));
	out->params[out->nparams - 1].followed = param_is_object(q);
}
#endif
