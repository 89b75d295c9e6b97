/* SPDX-License-Identifier: MIT */
/* The properties of a source language, by its number in DWARF (DW_AT_language). */
#ifndef TRAWL_CAPTURE_PROBE_LANGUAGE_H
#define TRAWL_CAPTURE_PROBE_LANGUAGE_H

#include "config.h"

#include <stdbool.h>

/* The convention by which functions of a language take arguments and return values. */
enum convention {
	CONVENTION_OWN,	     /* one that is not known here */
	CONVENTION_SYSTEM_V, /* the whole System V ABI */
	CONVENTION_SCALARS,  /* the System V ABI for single returned numbers and pointers */
	CONVENTION_GO,
};

struct language {
	int dwarf; /* DW_LANG_* */
	enum convention convention;
	/* Its name, if its exceptions or panics unwind the stack; else NULL. */
	const char *unwinds;
	/* Objects may need a constructor to be copied. */
	bool constructors;
	/* What the program follows may be null: an optional argument that is absent. */
	bool null_references;
};

/* Never NULL: of a language that is not known, nothing is assumed. */
const struct language *language_of(int dwarf);

#endif
