/* SPDX-License-Identifier: MIT */
/* Parameters: where each is at the first instruction of its function, or inside it. */
#ifndef TRAWL_CAPTURE_PROBE_PARAM_H
#define TRAWL_CAPTURE_PROBE_PARAM_H

#include "config.h"

#ifdef HAVE_DW
#include "capture/probe/abi.h"
#include "capture/probe/elf.h"
#include "capture/probe/location.h"
#include "capture/probe/prologue.h"
#include "capture/probe/value.h"

/* A function whose parameters are looked for. */
struct param_finder {
	struct elf_file *elf;
	Dwarf_Die *unit, *function;
	const struct elf_symbol *symbol; /* or NULL */
	uint64_t vaddr;                  /* where the parameters are wanted */
	uint64_t entry;
	const struct symbolic *cfa;      /* as of location_find() */
	struct abi abi;                  /* after what the return value takes */

	/* Filled by param_find_all(). */
	struct prologue prologue;
	bool gcc;        /* made by it */
	bool convention; /* the C calling convention is known to hold */
};

/* Adds all parameters to out->params. */
void param_find_all(struct param_finder *f, struct dwarf_function *out);
#endif

#endif
