/* SPDX-License-Identifier: MIT */
/*
 * The functions of a Go program by its own table, .gopclntab, which stripping leaves in the file:
 * Go's runtime needs it for its stack traces.
 */
#ifndef TRAWL_CAPTURE_PROBE_GOSYMBOLS_H
#define TRAWL_CAPTURE_PROBE_GOSYMBOLS_H

#include "capture/probe/elf.h"

/* True if Go's linker made the file; other languages may be in it, too. */
bool gosymbols_is_go(struct elf_file *f);

/*
 * Appends the table's functions to f->symbols, which is unsorted afterwards. Adds none if the table
 * is of a version that is not known (before Go 1.16), or damaged.
 */
void gosymbols_add(struct elf_file *f);

#endif
