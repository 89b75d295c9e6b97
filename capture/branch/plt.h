/* SPDX-License-Identifier: MIT */
/* The stubs of a procedure linkage table, which have no symbols. */
#ifndef TRAWL_CAPTURE_BRANCH_PLT_H
#define TRAWL_CAPTURE_BRANCH_PLT_H

#include "capture/probe/elf.h"

enum { PLT_ENTRY = 16 };

/*
 * Returns the name of the function that the stub at vaddr calls, valid while the file is open; NULL
 * if there is no stub, or its function is unknown. *start: the stub's first address.
 */
const char *plt_name(const struct elf_file *f, uint64_t vaddr, uint64_t *start);

#endif
