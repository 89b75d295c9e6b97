/* SPDX-License-Identifier: MIT */
/*
 * What the debug information says about a function: parameters and where they are at its entry,
 * its return value, and source lines. Without libdw, or without debug information, dwarf_open()
 * says so and everything else is unknown.
 */
#ifndef TRAWL_CAPTURE_PROBE_DWARF_H
#define TRAWL_CAPTURE_PROBE_DWARF_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/probe/elf.h"
#include "capture/probe/value.h"

struct dwarf;

/* Never NULL. *why tells why nothing will be known, or is NULL. f must outlive it. */
struct dwarf *dwarf_open(struct elf_file *f, const char **why);
void dwarf_close(struct dwarf *d);

/*
 * The function that starts at vaddr. Places are those of the System V ABI at its first
 * instruction, not those that DWARF gives for its body. False if the function is not described.
 */
bool dwarf_function_at(struct dwarf *d, uint64_t vaddr, struct dwarf_function *fn);
void dwarf_function_free(struct dwarf_function *fn);

/*
 * Likewise of the function that starts at `entry`, but where its parameters are at vaddr inside
 * it, where its frame's base is cfa_offset bytes after register cfa_register of DWARF (-1: not
 * known).
 */
bool dwarf_function_inside(struct dwarf *d, uint64_t entry, uint64_t vaddr, int cfa_register,
			   int64_t cfa_offset, struct dwarf_function *fn);

/* A row of the line table. */
struct dwarf_row {
	uint64_t vaddr;
	const char *file;  /* lives as long as the table is open */
	unsigned int line; /* 0: no line from here on */
	bool statement;    /* a statement begins here */
};

/* Calls fn for the rows of [from, to), by falling address or rising, as the table has them; the
 * first one may be before. */
void dwarf_rows(struct dwarf *d, uint64_t from, uint64_t to,
		void (*fn)(void *arg, const struct dwarf_row *row), void *arg);

/* The language of the code at vaddr if its exceptions unwind the stack; else NULL. */
const char *dwarf_unwinding_language(struct dwarf *d, uint64_t vaddr);

/* The source line of vaddr; *file is malloc'd. False if it is not known. */
bool dwarf_line_at(struct dwarf *d, uint64_t vaddr, char **file, unsigned int *line);

#endif
