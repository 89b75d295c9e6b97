/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/probe/passing.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "capture/probe/die.h"
#include "capture/probe/language.h"

enum {
	/* DW_CC_pass_by_reference and _by_value of DWARF 5, which older headers lack */
	BY_REFERENCE = 4, BY_VALUE = 5,
	IN_CLASS = 1, /* DW_AT_defaulted: in the class, so that it is trivial if its parts are */
	CLASSES = 1000, /* looked at for one type; more are PASSING_UNKNOWN */
};

/* The special member functions of a class, as far as they are declared. */
struct special {
	unsigned int destructors, copies, moves; /* the latter two: constructors */
	bool assigned; /* move assignment, which deletes the implicit copy constructor */
	bool own;     /* one is written by hand */
	bool unclear; /* one is deleted, or may be a special one */
};

static enum passing of_class(Dwarf_Die *type, unsigned int *budget);

static bool has(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, name, &attr) != NULL;
}

/* True if gcc has written the attributes by which special member functions are told apart. */
static bool tells_members(Dwarf_Die *unit)
{
	const char *producer = dwarf_producer(unit);

	if (strncmp(producer, "GNU C++", 7) || strstr(producer, "-gstrict-dwarf"))
		return false;
	producer = strchr(producer, ' ') + 1; /* GNU C++17 12.2.0 ... */
	producer = strchr(producer, ' ');
	return producer && strtoul(producer, NULL, 10) >= 8;
}

/*
 * The tag of the reference to `class` that a member function takes as its first argument;
 * 0: it takes something else. *more: it has other parameters, too.
 */
static int takes(Dwarf_Die *function, Dwarf_Die *class, bool *more)
{
	Dwarf_Die parameter, type, to;
	int n = 0, tag = 0;

	*more = false;
	if (dwarf_child(function, &parameter) != 0)
		return 0;
	do {
		if (dwarf_tag(&parameter) == DW_TAG_unspecified_parameters)
			*more = true;
		if (dwarf_tag(&parameter) != DW_TAG_formal_parameter ||
		    has(&parameter, DW_AT_artificial))
			continue;
		if (n++) {
			*more = true;
		} else if (dwarf_type_of(&parameter, &type) && dwarf_peel(&type, &type) &&
			   (dwarf_tag(&type) == DW_TAG_reference_type ||
			    dwarf_tag(&type) == DW_TAG_rvalue_reference_type) &&
			   dwarf_type_of(&type, &to) && dwarf_peel(&to, &to) &&
			   dwarf_dieoffset(&to) == dwarf_dieoffset(class)) {
			tag = dwarf_tag(&type);
		}
	} while (dwarf_siblingof(&parameter, &parameter) == 0);
	return tag;
}

/* A class's name without the arguments of a template is that of its constructors. */
static bool is_constructor(const char *name, Dwarf_Die *class)
{
	const char *of = dwarf_diename(class);

	return of && !strncmp(name, of, strlen(name)) &&
	       (of[strlen(name)] == '\0' || of[strlen(name)] == '<');
}

/* Notes a member function if it decides how the class is passed. */
static void note(struct special *s, Dwarf_Die *function, Dwarf_Die *class)
{
	const char *name = dwarf_diename(function);
	bool more;
	int tag;

	if (!name || has(function, DW_AT_artificial))
		return;
	tag = takes(function, class, &more);
	if (*name == '~') {
		s->destructors++;
	} else if (tag && is_constructor(name, class)) {
		s->copies += tag == DW_TAG_reference_type;
		s->moves += tag == DW_TAG_rvalue_reference_type;
		s->unclear |= more; /* unless all others have defaults, which DWARF omits */
		if (more)
			return;
	} else {
		s->assigned |= tag == DW_TAG_rvalue_reference_type && !strcmp(name, "operator=");
		return;
	}
	if (has(function, DW_AT_deleted))
		s->unclear = true;
	else if (dwarf_udata(function, DW_AT_defaulted, 0) != IN_CLASS)
		s->own = true;
}

/* A data member, or what an array of them holds. */
static enum passing of_member(Dwarf_Die *member, unsigned int *budget)
{
	Dwarf_Die type;

	if (!dwarf_is_part(member))
		return PASSED_AS_BYTES;
	if (!dwarf_type_of(member, &type) || !dwarf_peel(&type, &type))
		return PASSING_UNKNOWN;
	while (dwarf_tag(&type) == DW_TAG_array_type)
		if (!(*budget)-- || !dwarf_type_of(&type, &type) || !dwarf_peel(&type, &type))
			return PASSING_UNKNOWN;
	return dwarf_is_class(&type) ? of_class(&type, budget) : PASSED_AS_BYTES;
}

/* Of two parts, one that is passed by its address decides. */
static enum passing both(enum passing a, enum passing b)
{
	return a == PASSED_BY_ADDRESS || b == PASSED_BY_ADDRESS ? PASSED_BY_ADDRESS :
	       a == PASSING_UNKNOWN || b == PASSING_UNKNOWN ? PASSING_UNKNOWN : PASSED_AS_BYTES;
}

static enum passing of_child(Dwarf_Die *child, Dwarf_Die *class, struct special *s,
			     unsigned int *budget)
{
	const char *name = dwarf_diename(child);

	switch (dwarf_tag(child)) {
	case DW_TAG_inheritance:
		return has(child, DW_AT_virtuality) ? PASSED_BY_ADDRESS : of_member(child, budget);
	case DW_TAG_member:
		return name && !strncmp(name, "_vptr", 5) && has(child, DW_AT_artificial) ?
		       PASSED_BY_ADDRESS : of_member(child, budget);
	case DW_TAG_subprogram:
		note(s, child, class);
		return dwarf_udata(child, DW_AT_virtuality, 0) ? PASSED_BY_ADDRESS :
								 PASSED_AS_BYTES;
	default:
		return PASSED_AS_BYTES;
	}
}

static enum passing of_class(Dwarf_Die *class, unsigned int *budget)
{
	enum passing how = PASSED_AS_BYTES;
	struct special s = { 0 };
	Dwarf_Die child;

	if (!*budget || has(class, DW_AT_declaration))
		return PASSING_UNKNOWN;
	--*budget;
	if (dwarf_child(class, &child) == 0) {
		do {
			how = both(how, of_child(&child, class, &s, budget));
		} while (dwarf_siblingof(&child, &child) == 0);
	}
	/* of several, constraints choose one */
	s.unclear |= s.destructors > 1 || s.copies > 1 || s.moves > 1;
	s.unclear |= s.assigned && !s.copies && !s.moves;
	return s.unclear ? both(how, PASSING_UNKNOWN) : s.own ? PASSED_BY_ADDRESS : how;
}

enum passing passing_of(Dwarf_Die *type)
{
	unsigned int budget = CLASSES;
	Dwarf_Die unit;

	if (!dwarf_is_class(type) || !dwarf_diecu(type, &unit, NULL, NULL))
		return PASSED_AS_BYTES;
	switch (dwarf_udata(type, DW_AT_calling_convention, 0)) {
	case BY_REFERENCE:
		return PASSED_BY_ADDRESS;
	case BY_VALUE:
		return PASSED_AS_BYTES;
	default:
		/* C has no constructors */
		return !language_of(dwarf_srclang(&unit))->constructors ? PASSED_AS_BYTES :
		       tells_members(&unit) ? of_class(type, &budget) : PASSING_UNKNOWN;
	}
}

#endif
