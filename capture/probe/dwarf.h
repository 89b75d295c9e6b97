/* SPDX-License-Identifier: MIT */
/*
 * What DWARF says about a function: its parameters and where they are at its entry, its return
 * value, and source lines. Without libdw or without debug information, dwarf_open() gives the
 * reason, and all other functions report "unknown".
 */
#ifndef TRAWL_CAPTURE_PROBE_DWARF_H
#define TRAWL_CAPTURE_PROBE_DWARF_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/probe/elf.h"
#include "capture/probe/value.h"

struct dwarf;
struct part_error;

/*
 * Opens the debug information of f, or of its separate debug file. Never NULL; to be freed with
 * dwarf_close(). *why: the reason why nothing is known, valid until dwarf_close(); NULL if there is
 * debug information. f must outlive the result.
 */
struct dwarf *dwarf_open(struct elf_file *f, const char **why);
void dwarf_close(struct dwarf *d);

/*
 * Describes the function that starts at vaddr; *fn is to be freed with dwarf_function_free(). The
 * parameters' locations are those at its first instruction, where DWARF's locations for the body do
 * not hold yet. False if the function is not described; fn->bare: it is, but not what it takes and
 * returns.
 */
bool dwarf_function_at(struct dwarf *d, uint64_t vaddr, struct dwarf_function *fn);

/*
 * An address in the function that starts at `entry`. There the CFA (the frame's base) is DWARF
 * register cfa_register plus cfa_offset bytes; cfa_register -1: unknown.
 */
struct dwarf_point {
	uint64_t entry, vaddr;
	int cfa_register;
	int64_t cfa_offset;
};

/* As dwarf_function_at(), with the parameters' locations at a place inside the function. */
bool dwarf_function_inside(struct dwarf *d, const struct dwarf_point *at,
			   struct dwarf_function *fn);

/*
 * Appends to fn->params the part of a parameter that `path` names (part.h), as it is at that place.
 * ret: the path begins with $retval, which is this function's; else NULL. False with *e if there is
 * no such part.
 */
bool dwarf_path(struct dwarf *d, const struct dwarf_point *at, const char *path,
		const struct dwarf_function *ret, struct dwarf_function *fn, struct part_error *e);

/* Whether the functions there are described in another file (.dwo), which is not read. */
bool dwarf_is_split(struct dwarf *d, uint64_t vaddr);

/* A row of the line table. */
struct dwarf_row {
	uint64_t vaddr;
	const char *file;  /* valid until dwarf_close() */
	unsigned int line; /* 0: this address and the following ones have no line */
};

/*
 * Calls fn for the rows of the line table with addresses in [from, to), in the table's order. The
 * first row passed may begin before `from`, if it is the one that covers it.
 */
void dwarf_rows(struct dwarf *d, uint64_t from, uint64_t to,
		void (*fn)(void *arg, const struct dwarf_row *row), void *arg);

/*
 * The name of the language of the code at vaddr, if its exceptions or panics unwind the stack; else
 * NULL.
 */
const char *dwarf_unwinding_language(struct dwarf *d, uint64_t vaddr);

/* The source line of vaddr; *file is malloc'd. False if unknown. */
bool dwarf_line_at(struct dwarf *d, uint64_t vaddr, char **file, unsigned int *line);

#endif
