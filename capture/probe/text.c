/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/probe/text.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <string.h>

#include "capture/probe/abi.h"
#include "capture/probe/die.h"
#include "capture/probe/member.h"
#include "common/array.h"
#include "common/text.h"

enum { MAX_DEPTH = 10, MAX_MEMBERS = 4096, GO_KIND = 0x2900, GO_STRING = 24 };

/* The members found in an object so far. */
struct members {
	unsigned int pointers, lengths; /* how many */
	unsigned int pointer, length;   /* offset of the last one */
};

/* True for a pointer to a type of one byte. */
static bool points_to_bytes(Dwarf_Die *type)
{
	Dwarf_Die under, byte;
	Dwarf_Word size;

	return dwarf_tag(type) == DW_TAG_pointer_type && dwarf_type_of(type, &under) &&
	       dwarf_peel(&under, &byte) && dwarf_tag(&byte) == DW_TAG_base_type &&
	       dwarf_aggregate_size(&byte, &size) == 0 && size == 1;
}

static bool is_length(const char *name, Dwarf_Die *type)
{
	static const char *const names[] = { "len", "length", "_M_len", "_M_string_length",
					     "__size_", "__size" };
	Dwarf_Word size;

	if (!name || dwarf_tag(type) != DW_TAG_base_type ||
	    dwarf_aggregate_size(type, &size) != 0 || size != 8)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void look_into(Dwarf_Die *object, unsigned int offset, int depth, struct members *m)
{
	Dwarf_Die child, type;
	int n = 0;

	if (depth > MAX_DEPTH || dwarf_child(object, &child) != 0)
		return;
	do {
		unsigned int at;

		if (!dwarf_is_part(&child) || !dwarf_type_of(&child, &type) ||
		    !dwarf_peel(&type, &type) || !dwarf_member_at(&child, &at))
			continue;
		at += offset;
		if (dwarf_is_class(&type) && dwarf_tag(&type) != DW_TAG_union_type) {
			look_into(&type, at, depth + 1, m);
		} else if (points_to_bytes(&type)) {
			m->pointers++;
			m->pointer = at;
		} else if (is_length(dwarf_diename(&child), &type)) {
			m->lengths++;
			m->length = at;
		}
	} while (++n < MAX_MEMBERS && dwarf_siblingof(&child, &child) == 0);
}

/* Recognises libc++'s std::string in its default layout; libc++ can be built with another one. */
static bool is_libcxx(Dwarf_Die *object, struct text_shape *shape)
{
	Dwarf_Die in_long, in_short, ignored;
	unsigned int at, data;

	if (!member_find(object, "__l", 0, &in_long, &at) || at ||
	    !member_find(object, "__s", 0, &in_short, &at) || at ||
	    !member_find(&in_long, "__data_", 0, &ignored, &shape->pointer) ||
	    !member_find(&in_long, "__size_", 0, &ignored, &shape->length) ||
	    !member_find(&in_short, "__data_", 0, &ignored, &data))
		return false;
	shape->form = COUNTED_LIBCXX;
	return shape->pointer == 16 && shape->length == 8 && data == 1;
}

/* True if the type's name is that of a string: other types have a pointer and a length, too. */
static bool is_text_type(Dwarf_Die *object, const char *name, int language)
{
	if (language == DW_LANG_Go)
		return dwarf_udata(object, GO_KIND, 0) == GO_STRING;
	if (language == DW_LANG_Rust)
		return !strcmp(name, "&str") || !strcmp(name, "&mut str") ||
		       !strcmp(name, "String") || begins(name, "Box<str") ||
		       begins(name, "alloc::boxed::Box<str");
	return begins(name, "basic_string<char,") || begins(name, "basic_string_view<char,");
}

static bool is_reference(Dwarf_Die *type, int language)
{
	int tag = dwarf_tag(type);

	/* DWARF describes Rust's references as pointers. */
	return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type ||
	       (language == DW_LANG_Rust && tag == DW_TAG_pointer_type);
}

bool text_shape_of(Dwarf_Die *type, int language, struct text_shape *shape)
{
	struct members m = { 0 };
	Dwarf_Die object, under;
	const char *name;

	*shape = (struct text_shape){ .form = COUNTED };
	if (!dwarf_peel(type, &object))
		return false;
	if (is_reference(&object, language)) {
		shape->reference = true;
		if (!dwarf_type_of(&object, &under) || !dwarf_peel(&under, &object))
			return false;
	}
	name = dwarf_diename(&object);
	if (!dwarf_is_class(&object) || !name || !is_text_type(&object, name, language))
		return false;
	look_into(&object, 0, 0, &m);
	if (m.pointers != 1 || m.lengths != 1)
		return begins(name, "basic_string<") && is_libcxx(&object, shape);
	shape->pointer = m.pointer;
	shape->length = m.length;
	if (shape->reference || language == DW_LANG_Rust || begins(name, "basic_string<"))
		shape->form = COUNTED_NEVER_NULL;
	return true;
}
#endif
