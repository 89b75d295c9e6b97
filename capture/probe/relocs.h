/* SPDX-License-Identifier: MIT */
/* What the dynamic linker fills in: which imported function a slot of the file's GOT will hold. */
#ifndef TRAWL_CAPTURE_PROBE_RELOCS_H
#define TRAWL_CAPTURE_PROBE_RELOCS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/probe/elf.h"

struct relocs;

/* Never NULL. f must outlive it. */
struct relocs *relocs_open(struct elf_file *f);
void relocs_close(struct relocs *r);

/* The imported symbol whose address the slot at vaddr will hold; NULL if it is none. */
const char *relocs_slot(const struct relocs *r, uint64_t vaddr);

/*
 * Of the addresses that pointers written by the dynamic linker have, returns the i-th (from 0) that
 * lies in [start, end); 0: there are no more.
 */
uint64_t relocs_pointer(const struct relocs *r, uint64_t start, uint64_t end, size_t i);

#endif
