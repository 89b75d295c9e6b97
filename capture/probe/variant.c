/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/probe/variant.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <string.h>

#include "capture/probe/abi.h"
#include "capture/probe/die.h"
#include "capture/probe/enumeration.h"
#include "capture/probe/member.h"
#include "capture/probe/names.h"
#include "capture/sys/alloc.h"

static struct alternative *add(struct variants *v, char *name)
{
	xgrow(v->list, v->n);
	v->list[v->n] = (struct alternative){ .name = name };
	return &v->list[v->n++];
}

/* ---- Rust ------------------------------------------------------------------------------------ */

static bool child_of(Dwarf_Die *die, int tag, Dwarf_Die *child)
{
	if (dwarf_child(die, child) != 0)
		return false;
	do {
		if (dwarf_tag(child) == tag)
			return true;
	} while (dwarf_siblingof(child, child) == 0);
	return false;
}

/* If the data is a tuple of one member, as in "Some(__0)", takes the member itself. */
static void skip_tuple(struct alternative *a)
{
	Dwarf_Die member, next;
	const char *name;
	unsigned int at;

	if (!child_of(&a->type, DW_TAG_member, &member)) {
		a->data = false;
		return;
	}
	name = dwarf_diename(&member);
	next = member;
	while (dwarf_siblingof(&next, &next) == 0)
		if (dwarf_tag(&next) == DW_TAG_member)
			return;
	if (!name || strcmp(name, "__0"))
		return;
	a->data = dwarf_member_at(&member, &at) && dwarf_type_of(&member, &a->type);
	a->offset += at;
}

/* Adds one DW_TAG_variant. False if it is not supported. */
static bool add_variant(struct variants *v, Dwarf_Die *variant)
{
	struct alternative *a;
	Dwarf_Attribute attr;
	Dwarf_Word number, size = 0;
	Dwarf_Die member;

	if (dwarf_attr(variant, DW_AT_discr_list, &attr) ||
	    !child_of(variant, DW_TAG_member, &member) || !dwarf_diename(&member) ||
	    v->n == VALUE_NAMES_MAX)
		return false;
	a = add(v, xstrdup(dwarf_diename(&member)));
	a->data = dwarf_type_of(&member, &a->type);
	if (!dwarf_member_at(&member, &a->offset))
		return false;
	if (a->data)
		skip_tuple(a);
	a->otherwise = !dwarf_attr(variant, DW_AT_discr_value, &attr);
	if (a->otherwise)
		return true;
	dwarf_aggregate_size(&v->tag, &size);
	if (!v->tagged || dwarf_formudata(&attr, &number) != 0)
		return false;
	a->number = enumeration_number(number, size, false);
	return true;
}

static bool read_tag(struct variants *v, Dwarf_Die *part)
{
	Dwarf_Attribute attr;
	Dwarf_Die member, type;

	if (!dwarf_attr(part, DW_AT_discr, &attr) || !dwarf_formref_die(&attr, &member))
		return true;
	v->tagged = dwarf_member_at(&member, &v->tag_at) && dwarf_type_of(&member, &type) &&
		    dwarf_peel(&type, &v->tag);
	return v->tagged;
}

static bool of_rust(Dwarf_Die *type, struct variants *v)
{
	Dwarf_Die part, child;
	size_t others = 0;

	if (!child_of(type, DW_TAG_variant_part, &part) || !read_tag(v, &part) ||
	    dwarf_child(&part, &child) != 0)
		return false;
	do {
		if (dwarf_tag(&child) == DW_TAG_variant && !add_variant(v, &child))
			return false;
	} while (dwarf_siblingof(&child, &child) == 0);
	for (size_t i = 0; i < v->n; i++)
		others += v->list[i].otherwise;
	v->ctype = xasprintf("enum %s", dwarf_diename(type) ? dwarf_diename(type) : "{...}");
	return v->n && others <= 1 && (v->tagged || v->n == 1);
}

/* ---- C++ ------------------------------------------------------------------------------------- */

static bool of_optional(Dwarf_Die *type, struct variants *v)
{
	struct alternative *a;
	Dwarf_Die value;
	unsigned int at;

	if (!member_find(type, "_M_engaged", 0, &v->tag, &v->tag_at) &&
	    !member_find(type, "__engaged_", 0, &v->tag, &v->tag_at))
		return false;
	if (!member_find(type, "_M_value", 0, &value, &at) &&
	    !member_find(type, "__val_", 0, &value, &at))
		return false;
	v->tagged = true;
	add(v, xstrdup("nullopt"));
	a = add(v, xstrdup("value"));
	a->otherwise = a->data = true;
	a->type = value;
	a->offset = at;
	return true;
}

/*
 * A type that is not trivially destructible is stored in __aligned_membuf<TYPE>, an array of bytes:
 * takes TYPE instead.
 */
static void take_stored(Dwarf_Die *type)
{
	const char *name = dwarf_diename(type);
	Dwarf_Die param, stored;

	if (name && !strncmp(name, "__aligned_membuf<", 17) &&
	    child_of(type, DW_TAG_template_type_parameter, &param) &&
	    dwarf_type_of(&param, &stored) && dwarf_peel(&stored, &stored))
		*type = stored;
}

/*
 * std::variant's alternatives are nested unions: _M_first is one, _M_rest the union of the others.
 */
static bool of_variant(Dwarf_Die *type, struct variants *v)
{
	Dwarf_Die at, first, rest;
	unsigned int offset;

	if (!member_find(type, "_M_index", 0, &v->tag, &v->tag_at) ||
	    !member_find(type, "_M_u", 0, &at, &offset))
		return false;
	v->tagged = true;
	while (member_find(&at, "_M_first", 0, &first, &offset) && v->n < 64) {
		struct alternative *a = add(v, xasprintf("%zu", v->n));

		a->number = v->n - 1;
		a->data = member_find(&first, "_M_storage", 0, &a->type, &a->offset);
		if (a->data)
			take_stored(&a->type);
		if (!member_find(&at, "_M_rest", 0, &rest, &offset))
			break;
		at = rest;
	}
	return v->n > 0;
}

static bool of_cxx(Dwarf_Die *type, struct variants *v)
{
	const char *name = dwarf_diename(type);

	if (!name || !dwarf_is_class(type))
		return false;
	v->ctype = xasprintf("std::%s", name);
	return !strncmp(name, "optional<", 9) ? of_optional(type, v) :
	       !strncmp(name, "variant<", 8) && of_variant(type, v);
}

/* ---- all ------------------------------------------------------------------------------------- */

bool variants_of(Dwarf_Die *from, int language, struct variants *v)
{
	Dwarf_Die type;

	*v = (struct variants){ 0 };
	if (dwarf_peel(from, &type) && dwarf_is_class(&type) &&
	    (language == DW_LANG_Rust ? of_rust(&type, v) : of_cxx(&type, v)))
		return true;
	variants_free(v);
	return false;
}

void variants_free(struct variants *v)
{
	for (size_t i = 0; i < v->n; i++)
		free(v->list[i].name);
	free(v->list);
	free(v->ctype);
	*v = (struct variants){ 0 };
}

struct value_names *variants_names(const struct variants *v)
{
	struct value_names *names = xcalloc(1, sizeof(*names));

	for (size_t i = 0; i < v->n; i++) {
		if (v->list[i].otherwise)
			names->otherwise = xstrdup(v->list[i].name);
		else
			value_names_add(names, v->list[i].name, v->list[i].number);
	}
	return names;
}
#endif
