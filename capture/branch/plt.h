/* SPDX-License-Identifier: MIT */
/* The stubs of a procedure linkage table, which have no symbols. */
#ifndef TRAWL_CAPTURE_BRANCH_PLT_H
#define TRAWL_CAPTURE_BRANCH_PLT_H

#include "capture/probe/elf.h"

enum { PLT_ENTRY = 16 };

/*
 * The function that the stub at vaddr calls; NULL if there is none, or it is not known. *start is
 * the stub's first address. Lives as long as the file is open.
 */
const char *plt_name(const struct elf_file *f, uint64_t vaddr, uint64_t *start);

#endif
