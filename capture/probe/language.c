/* SPDX-License-Identifier: MIT */
/*
 * A new language is a row here. The layouts of its strings are text.c's and text_of()'s in typed.c,
 * those of its enums with data variant.c's, those of its results in several registers results.c's.
 */
#include "capture/probe/language.h"

#ifdef HAVE_DW
#include <dwarf.h>
#include <stddef.h>

#include "common/array.h"

/* Of the register of languages at dwarfstd.org; headers of libdw 0.188 lack them. */
enum {
	CXX17 = 0x2a,
	CXX20 = 0x2b,
	C17 = 0x2c,
	FORTRAN18 = 0x2d,
	ADA2005 = 0x2e,
	ADA2012 = 0x2f,
	CXX23 = 0x3a,
	C23 = 0x3e,
	FORTRAN23 = 0x3f,
};

/* In the order of struct language's members. */
static const struct language languages[] = {
	{DW_LANG_C89, CONVENTION_SYSTEM_V, NULL, false, false},
	{DW_LANG_C, CONVENTION_SYSTEM_V, NULL, false, false},
	{DW_LANG_C99, CONVENTION_SYSTEM_V, NULL, false, false},
	{DW_LANG_C11, CONVENTION_SYSTEM_V, NULL, false, false},
	{C17, CONVENTION_SYSTEM_V, NULL, false, false},
	{C23, CONVENTION_SYSTEM_V, NULL, false, false},
	{DW_LANG_C_plus_plus, CONVENTION_SYSTEM_V, "C++", true, false},
	{DW_LANG_C_plus_plus_03, CONVENTION_SYSTEM_V, "C++", true, false},
	{DW_LANG_C_plus_plus_11, CONVENTION_SYSTEM_V, "C++", true, false},
	{DW_LANG_C_plus_plus_14, CONVENTION_SYSTEM_V, "C++", true, false},
	{CXX17, CONVENTION_SYSTEM_V, "C++", true, false},
	{CXX20, CONVENTION_SYSTEM_V, "C++", true, false},
	{CXX23, CONVENTION_SYSTEM_V, "C++", true, false},
	{DW_LANG_ObjC, CONVENTION_SYSTEM_V, "Objective-C", false, false},
	{DW_LANG_ObjC_plus_plus, CONVENTION_SYSTEM_V, "Objective-C", true, false},
	{DW_LANG_Ada83, CONVENTION_SCALARS, "Ada", false, false},
	{DW_LANG_Ada95, CONVENTION_SCALARS, "Ada", false, false},
	{ADA2005, CONVENTION_SCALARS, "Ada", false, false},
	{ADA2012, CONVENTION_SCALARS, "Ada", false, false},
	{DW_LANG_Fortran77, CONVENTION_SCALARS, NULL, false, true},
	{DW_LANG_Fortran90, CONVENTION_SCALARS, NULL, false, true},
	{DW_LANG_Fortran95, CONVENTION_SCALARS, NULL, false, true},
	{DW_LANG_Fortran03, CONVENTION_SCALARS, NULL, false, true},
	{DW_LANG_Fortran08, CONVENTION_SCALARS, NULL, false, true},
	{FORTRAN18, CONVENTION_SCALARS, NULL, false, true},
	{FORTRAN23, CONVENTION_SCALARS, NULL, false, true},
	{DW_LANG_D, CONVENTION_SCALARS, "D", false, false},
	{DW_LANG_Go, CONVENTION_GO, "Go", false, false},
	{DW_LANG_OCaml, CONVENTION_OWN, "OCaml", false, false},
	{DW_LANG_Pascal83, CONVENTION_SCALARS, NULL, false, false},
	{DW_LANG_Rust, CONVENTION_SCALARS, "Rust", false, false},
	{DW_LANG_Swift, CONVENTION_OWN, "Swift", false, false},
};

const struct language *language_of(int dwarf)
{
	static const struct language unknown = {-1, CONVENTION_OWN, NULL, false, false};

	for (size_t i = 0; i < ARRAY_SIZE(languages); i++) {
		if (languages[i].dwarf == dwarf)
			return &languages[i];
	}
	return &unknown;
}
#endif
