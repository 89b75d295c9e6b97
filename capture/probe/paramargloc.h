/* SPDX-License-Identifier: MIT */
/*
 * Where a parameter is when a function is entered. Three sources are tried, in this order:
 *
 *	location    DWARF's location for this very address: a register, the caller's stack, a
 *		    constant, or "optimised away". Optimised code has lists of these.
 *	prologue    If DWARF has one location for the whole function, it is where the first
 *		    instructions (the prologue) put the parameter. Decoding them finds where they
 *		    took it from.
 *	convention  The C calling convention, if there is no location, or the prologue does not
 *		    explain it, and if the compiler and language guarantee the convention.
 *
 * If none applies, the value is unavailable. gcc keeps to the convention except in clones, whose
 * symbols are marked (.isra, .constprop). clang drops arguments of static functions without a mark;
 * Rust and Go have rules of their own.
 */
#ifndef TRAWL_CAPTURE_PROBE_PARAMARGLOC_H
#define TRAWL_CAPTURE_PROBE_PARAMARGLOC_H

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

	/* Filled by param_prepare(). */
	struct prologue prologue;
	bool gcc;        /* compiled by gcc */
	bool convention; /* the function certainly follows the C calling convention */
	bool departs;    /* it certainly follows another one, such as ms_abi */
};

/* A parameter, a return value, or an object that is reached from one through pointers (part.h). */
struct param {
	struct param_finder *f;
	struct location loc;
	enum location_result found;
	char why[160];
	/* the address of the object that is looked at, an expression; "": the parameter itself */
	char at[64];
	/* Its place by the calling convention. */
	bool on_stack; /* C passes it in memory, whatever of it the function uses */
	int eightbytes[2]; /* the DWARF registers of its eightbytes; -1: on the stack, at `stack` */
	uint64_t stack;
	bool doubtful; /* a parameter before it, or the result, is somewhere unknown */
};

/*
 * Finds to->bits bits at byte `offset`. whole: that is the whole parameter, and a scalar. False,
 * with the reason in to->why, if their place is unknown.
 */
bool param_find(const struct param *q, unsigned int offset, bool whole, struct argloc *to);

/* True for an object in memory that a pointer leads to. */
bool param_is_object(const struct param *q);

/* The language of the function: DW_LANG_*. */
int param_language(const struct param *q);

/* The parameter of this name, and its type; NULL if there is none. To be freed with free(). */
struct param *param_open(struct param_finder *f, const char *name, Dwarf_Die *type);

/*
 * A return value: in memory at this address ("%ax"), or, if that is "", at *loc. To be freed with
 * free().
 */
struct param *param_open_result(struct param_finder *f, const char *address,
				const struct location *loc);

/*
 * From now on, q is the object to which the pointer `offset` bytes into it leads. whole: that
 * pointer is the whole parameter. False, with the reason in place->why, if its place is unknown.
 */
bool param_follow(struct param *q, unsigned int offset, bool whole, struct argloc *argloc);

/* To be called before the first parameter is located. */
void param_prepare(struct param_finder *f);

/*
 * Begins with a function's next parameter: finds where it is. False, with *type not set, if its
 * type is unknown.
 */
bool param_begin(struct param_finder *f, Dwarf_Die *die, struct param *q, Dwarf_Die *type);

/* True for a Go function's result, which DWARF lists among the parameters. */
bool param_is_result(Dwarf_Die *die);
#endif

#endif
