/* SPDX-License-Identifier: MIT */
/*
 * Relocations: which imported function a GOT slot of the file will hold, and which addresses of
 * code the dynamic linker stores in data.
 */
#ifndef TRAWL_CAPTURE_PROBE_RELOCS_H
#define TRAWL_CAPTURE_PROBE_RELOCS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/probe/elf.h"

struct relocs;

/* Never NULL; to be freed with relocs_close(). f must outlive it. */
struct relocs *relocs_open(struct elf_file *f);
void relocs_close(struct relocs *r);

/*
 * The imported symbol whose address the slot at vaddr will hold; NULL if none. Valid until
 * elf_free().
 */
const char *relocs_slot(const struct relocs *r, uint64_t vaddr);

/*
 * The i-th address (from 0, ascending) in [start, end) that a relative relocation stores somewhere;
 * 0 if there are no more.
 */
uint64_t relocs_pointer(const struct relocs *r, uint64_t start, uint64_t end, size_t i);

#endif
