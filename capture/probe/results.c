/* SPDX-License-Identifier: MIT */
/*
 * Go since 1.17 (src/cmd/compile/abi-internal.md in its sources): each number in a result takes, in
 * order, the next of nine general registers or of fifteen xmm registers. A result that does not fit
 * in the remaining registers, or that contains an array of several elements, is on the stack and
 * takes none.
 *
 * Rust specifies nothing. What its compilers do, in all versions that emit this debug information,
 * depends on the type:
 *
 *	one number           as in C: %rax or %xmm0
 *	a pair of numbers    %rax and %rdx: structs of two numbers, references with a length, and
 *	                     enums whose only data is one number or that are distinguished by a
 *	                     value in a pair
 *	others, up to 8 bytes    in %rax, as they are in memory
 *	others, above 16 bytes   in memory, at the address in %rax; a function that is not
 *	                         exported leaves the address out where no caller uses it
 *
 * Between 8 and 16 bytes, versions differ: unknown. So are 16-byte numbers and floating point. A
 * function that is extern "C" does the same, except that pairs of up to 8 bytes together are in
 * %rax. Which functions are extern "C" is not in the debug information.
 */
#include "capture/probe/results.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "capture/probe/abi.h"
#include "capture/probe/die.h"
#include "capture/probe/variant.h"

enum { DEPTH = 12, ENTRIES = 1000, NUMBERS = 24, GO_INTEGERS = 9, GO_FLOATS = 15 };

enum { RAX = 0, RDX = 1 };

/* A scalar in a type, at byte `offset`. */
struct number {
	unsigned int offset, size, encoding;
	bool is_float;
};

struct numbers {
	size_t n;
	struct number list[NUMBERS];
	/* the type is an enum with data: not all of these numbers exist at a time */
	bool alternatives;
	bool array, other; /* it has an array of several elements; it has something unsupported */
	/* debug information entries visited; bounds the time for hostile files */
	int seen;
};

static bool unknown(char *why, size_t size, const char *text)
{
	snprintf(why, size, "%s", text);
	return false;
}

static void add_number(struct numbers *all, unsigned int offset, unsigned int size,
		       unsigned int encoding)
{
	if (all->n == NUMBERS || !size) {
		all->other = true;
		return;
	}
	all->list[all->n++] = (struct number){ offset, size, encoding,
					       encoding == DW_ATE_float };
}

static void add_base(struct numbers *all, Dwarf_Die *type, unsigned int offset)
{
	unsigned int size = dwarf_udata(type, DW_AT_byte_size, 0);
	unsigned int encoding = dwarf_udata(type, DW_AT_encoding, 0);

	if (encoding == DW_ATE_complex_float) {
		add_number(all, offset, size / 2, DW_ATE_float);
		add_number(all, offset + size / 2, size / 2, DW_ATE_float);
	} else if (size) {
		add_number(all, offset, size, encoding);
	}
}

static void add_all(struct numbers *all, Dwarf_Die *from, unsigned int offset, int depth);

static void add_array(struct numbers *all, Dwarf_Die *type, unsigned int offset, int depth)
{
	Dwarf_Word size, step;
	Dwarf_Die element;

	if (!dwarf_type_of(type, &element) || dwarf_aggregate_size(type, &size) != 0 ||
	    dwarf_aggregate_size(&element, &step) != 0)
		all->other = true;
	else if (size && size == step)
		add_all(all, &element, offset, depth + 1);
	else if (size)
		all->array = true;
}

static void add_members(struct numbers *all, Dwarf_Die *type, unsigned int offset, int depth)
{
	Dwarf_Die child, member;

	if (dwarf_child(type, &child) != 0)
		return;
	do {
		const char *name = dwarf_diename(&child);
		unsigned int at;

		all->other |= dwarf_tag(&child) == DW_TAG_variant_part || ++all->seen > ENTRIES;
		if (all->other || !dwarf_is_part(&child))
			continue;
		/* How Go passes a member named "_" is unknown. */
		all->other |= !dwarf_type_of(&child, &member) || (name && !strcmp(name, "_"));
		all->other |= !dwarf_member_at(&child, &at);
		add_all(all, &member, offset + at, depth + 1);
	} while (!all->other && dwarf_siblingof(&child, &child) == 0);
}

/* Adds the scalars of a type in the order of its members. */
static void add_all(struct numbers *all, Dwarf_Die *from, unsigned int offset, int depth)
{
	Dwarf_Die type;

	if (depth > DEPTH || !dwarf_peel(from, &type)) {
		all->other = true;
		return;
	}
	switch (dwarf_tag(&type)) {
	case DW_TAG_base_type:
		add_base(all, &type, offset);
		return;
	case DW_TAG_enumeration_type:
		add_number(all, offset, dwarf_udata(&type, DW_AT_byte_size, 0), DW_ATE_unsigned);
		return;
	case DW_TAG_pointer_type:
	case DW_TAG_subroutine_type: /* a Go function value is a pointer */
	case DW_TAG_unspecified_type:
		add_number(all, offset, 8, DW_ATE_address);
		return;
	case DW_TAG_structure_type:
		add_members(all, &type, offset, depth);
		return;
	case DW_TAG_array_type:
		add_array(all, &type, offset, depth);
		return;
	default:
		all->other = true;
	}
}

static void add_piece(struct location *loc, const struct number *number, int reg)
{
	struct piece *p = &loc->pieces[loc->n++];

	*p = (struct piece){ .form = PIECE_REGISTER, .start = number->offset,
			     .size = number->size, .at = { .base = BASE_REGISTER, .reg = reg } };
}

/* ---- Go ------------------------------------------------------------------------------------- */

bool results_of_go(Dwarf_Die *type, struct go_results *taken, struct location *loc, char *why,
		   size_t why_size)
{
	static const int registers[GO_INTEGERS] = { 0, 3, 2, 5, 4, 8, 9, 10, 11 };
	struct go_results next = *taken;
	struct numbers all = { 0 };

	*loc = (struct location){ .list = true };
	add_all(&all, type, 0, 0);
	if (all.other || all.n > LOCATION_PIECES) {
		/* How many registers it takes from the following results is unknown, too. */
		taken->integers = GO_INTEGERS + 1;
		return unknown(why, why_size, "it has too many parts");
	}
	if (taken->integers > GO_INTEGERS)
		return unknown(why, why_size, "a result before it has too many parts");
	for (size_t i = 0; i < all.n; i++) {
		unsigned int *n = all.list[i].is_float ? &next.floats : &next.integers;
		unsigned int most = all.list[i].is_float ? GO_FLOATS : GO_INTEGERS;

		if (all.array || *n == most)
			return unknown(why, why_size, "Go returns it on the stack");
		add_piece(loc, &all.list[i], all.list[i].is_float ? DWARF_XMM0 + (int)*n :
								    registers[*n]);
		++*n;
	}
	if (all.array)
		return unknown(why, why_size, "Go returns it on the stack");
	*taken = next;
	return true;
}

/* ---- Rust ----------------------------------------------------------------------------------- */

static unsigned int aligned(unsigned int at, unsigned int to)
{
	return (at + to - 1) / to * to;
}

/* True if two numbers are laid out as the compiler lays out a pair, and are all of the value. */
static bool is_pair(const struct number *a, const struct number *b, unsigned int size)
{
	unsigned int align = a->size > b->size ? a->size : b->size;

	return !a->offset && !a->is_float && !b->is_float && a->size <= 8 && b->size <= 8 &&
	       b->offset == aligned(a->size, b->size) &&
	       size == aligned(b->offset + b->size, align);
}

static bool same_number(const struct number *a, const struct number *b)
{
	return a->offset == b->offset && a->size == b->size;
}

static void sort_two(struct number pair[2])
{
	if (pair[0].offset > pair[1].offset) {
		struct number first = pair[0];

		pair[0] = pair[1];
		pair[1] = first;
	}
}

/*
 * Finds the two numbers of an enum that is returned as a pair. Either it has a tag, and each
 * alternative has no data or the same kind of number in the same place; or one alternative has a
 * pair, one of whose numbers is the tag, and the others have no data.
 */
static bool pair_of_variants(struct variants *v, struct number pair[2])
{
	struct numbers tag = { 0 }, data = { 0 };
	size_t with = 0;

	add_all(&tag, &v->tag, v->tag_at, 0);
	for (size_t i = 0; i < v->n; i++) {
		struct numbers one = { 0 };

		if (v->list[i].data)
			add_all(&one, &v->list[i].type, v->list[i].offset, 0);
		if (one.other || one.array)
			return false;
		if (!one.n)
			continue;
		if (with++ && (one.n != 1 || data.n != 1 ||
			       !same_number(&one.list[0], &data.list[0]) ||
			       one.list[0].encoding != data.list[0].encoding))
			return false;
		data = one;
	}
	if (tag.n != 1 || tag.other)
		return false;
	pair[0] = tag.list[0];
	pair[1] = data.list[0];
	if (with && data.n == 1 && !same_number(&pair[0], &pair[1])) {
		sort_two(pair);
		return true;
	}
	if (with != 1 || data.n != 2 || (!same_number(&tag.list[0], &data.list[0]) &&
					 !same_number(&tag.list[0], &data.list[1])))
		return false;
	memcpy(pair, data.list, 2 * sizeof(*pair));
	sort_two(pair);
	return true;
}

/* True if one number covers the whole value, and none is floating point. */
static bool is_single(const struct numbers *all, unsigned int size)
{
	bool found = false;

	for (size_t i = 0; i < all->n; i++) {
		if (all->list[i].is_float)
			return false;
		found |= !all->list[i].offset && all->list[i].size == size;
	}
	return found;
}

/* Adds the numbers of all alternatives; offsets are within each alternative's own enum. */
static void numbers_of_variants(struct variants *v, struct numbers *all)
{
	all->alternatives = true;
	all->other |= ++all->seen > ENTRIES;
	if (v->tagged)
		add_all(all, &v->tag, v->tag_at, 0);
	for (size_t i = 0; i < v->n && !all->other; i++) {
		struct variants inner;

		if (!v->list[i].data)
			continue;
		if (variants_of(&v->list[i].type, DW_LANG_Rust, &inner)) {
			numbers_of_variants(&inner, all);
			variants_free(&inner);
		} else {
			add_all(all, &v->list[i].type, v->list[i].offset, 0);
		}
	}
}

static bool has_float(const struct numbers *all)
{
	for (size_t i = 0; i < all->n; i++) {
		if (all->list[i].is_float)
			return true;
	}
	return false;
}

static bool may_be_wide(Dwarf_Die *from, int depth, int *seen);

static bool alternatives_may_be_wide(Dwarf_Die *type, int depth, int *seen)
{
	struct variants v;
	bool wide = !variants_of(type, DW_LANG_Rust, &v);

	for (size_t i = 0; i < v.n && !wide; i++)
		wide = ++*seen > ENTRIES || (v.list[i].data &&
					     may_be_wide(&v.list[i].type, depth + 1, seen));
	variants_free(&v);
	return wide;
}

/* True if one of its numbers may have 16 bytes, and a pair thus more than two registers. */
static bool may_be_wide(Dwarf_Die *from, int depth, int *seen)
{
	Dwarf_Die type, child, member;

	if (depth > DEPTH || !dwarf_peel(from, &type))
		return true;
	if (dwarf_tag(&type) == DW_TAG_base_type)
		return dwarf_udata(&type, DW_AT_byte_size, 16) > 8;
	if (!dwarf_is_class(&type) || dwarf_child(&type, &child) != 0)
		return false;
	do {
		if (++*seen > ENTRIES)
			return true;
		if (dwarf_tag(&child) == DW_TAG_variant_part) {
			if (alternatives_may_be_wide(&type, depth, seen))
				return true;
		} else if (dwarf_is_part(&child) &&
			   (!dwarf_type_of(&child, &member) ||
			    may_be_wide(&member, depth + 1, seen))) {
			return true;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

static bool through_memory(Dwarf_Die *type, struct location *loc, char *why, size_t why_size)
{
	int seen = 0;

	if (may_be_wide(type, 0, &seen))
		return unknown(why, why_size, "compilers differ in how they return a pair with a "
					      "number of 16 bytes");
	loc->n = 1;
	loc->pieces[0] = (struct piece){ .form = PIECE_MEMORY,
					 .at = { .base = BASE_REGISTER, .reg = RAX } };
	return true;
}

static bool in_rax(unsigned int size, struct location *loc)
{
	struct number whole = { .size = size };

	add_piece(loc, &whole, RAX);
	return true;
}

bool results_of_rust(Dwarf_Die *from, struct location *loc, enum rust_result *form, char *why,
		     size_t why_size)
{
	struct numbers all = { 0 };
	struct number pair[2] = { 0 };
	struct variants v;
	bool paired = false;
	Dwarf_Word size;
	Dwarf_Die type;

	*loc = (struct location){ .list = true };
	*form = RUST_IN_RAX;
	if (!dwarf_peel(from, &type) || dwarf_aggregate_size(&type, &size) != 0 ||
	    dwarf_tag(&type) != DW_TAG_structure_type)
		return unknown(why, why_size, "its language returns what is no single number in a "
			       "way of its own");
	if (size > 16) {
		*form = RUST_IN_MEMORY;
		return through_memory(&type, loc, why, why_size);
	}
	if (variants_of(&type, DW_LANG_Rust, &v)) {
		paired = v.tagged && pair_of_variants(&v, pair);
		numbers_of_variants(&v, &all);
		variants_free(&v);
	} else {
		add_all(&all, &type, 0, 0);
		paired = all.n == 2 && !all.array;
		if (paired) {
			memcpy(pair, all.list, sizeof(pair));
			sort_two(pair);
		}
	}
	if (!size || all.other || has_float(&all))
		return unknown(why, why_size, "its language has no fixed convention to return it");
	if (paired && is_pair(&pair[0], &pair[1], (unsigned int)size)) {
		add_piece(loc, &pair[0], RAX);
		add_piece(loc, &pair[1], RDX);
		*form = pair[1].offset == 8 ? RUST_PAIR : RUST_SMALL_PAIR;
		return true;
	}
	if (size <= 8 && is_single(&all, (unsigned int)size))
		return in_rax((unsigned int)size, loc);
	/* Three or more numbers are returned neither as one number nor as a pair. */
	if (size <= 8 && !all.alternatives && all.n > 2 && !all.array)
		return in_rax((unsigned int)size, loc);
	return unknown(why, why_size, "versions of its compiler differ in how they return it");
}
#endif
