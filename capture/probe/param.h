/* SPDX-License-Identifier: MIT */
/*
 * Finds where the parameters of a function are, at its first instruction or at an address inside
 * it.
 */
#ifndef TRAWL_CAPTURE_PROBE_PARAM_H
#define TRAWL_CAPTURE_PROBE_PARAM_H

#include "config.h"

#ifdef HAVE_DW
#include "capture/probe/abi.h"
#include "capture/probe/elf.h"
#include "capture/probe/location.h"
#include "capture/probe/prologue.h"
#include "capture/probe/value.h"

/* The function whose parameters are looked for. */
struct param_finder {
	struct elf_file *elf;
	Dwarf_Die *unit, *function;
	const struct elf_symbol *symbol; /* or NULL */
	uint64_t vaddr;                  /* address at which the locations must hold */
	uint64_t entry;
	/* frame base at vaddr, as location_find() takes it; NULL: vaddr is the entry */
	const struct symbolic *cfa;
	/* argument registers left, after the one for a result in memory */
	struct abi abi;

	/* Filled by param_find_all(). */
	struct prologue prologue;
	bool gcc;        /* compiled by gcc */
	bool convention; /* the function certainly follows the C calling convention */
};

/* Appends all parameters to out->params. */
void param_find_all(struct param_finder *f, struct dwarf_function *out);

/*
 * Appends a return value of this type to out->params, as if it were a parameter: one value, or
 * several if it is shown by its members. *loc is where it is just before the function returns; NULL
 * if unknown, and then why has the reason.
 */
void param_add_result(struct param_finder *f, Dwarf_Die *type, const char *name,
		      const struct location *loc, const char *why, struct dwarf_function *out);
#endif

#endif
