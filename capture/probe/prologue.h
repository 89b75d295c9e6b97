/* SPDX-License-Identifier: MIT */
/*
 * Tracks where a function's prologue puts the registers that pass arguments: if DWARF says that a
 * parameter is in the frame, the prologue has the register that it came from. Needs Zydis.
 */
#ifndef TRAWL_CAPTURE_PROBE_PROLOGUE_H
#define TRAWL_CAPTURE_PROBE_PROLOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/probe/elf.h"

enum { PROLOGUE_MOVES = 64, PROLOGUE_REGISTERS = 33 };

/* An unknown offset from the CFA. */
#define PROLOGUE_UNKNOWN INT64_MIN

/* A copy of the value that a register had at the entry. Registers have their DWARF numbers. */
struct prologue_move {
	int from;
	int to;             /* -1: memory at `slot` */
	int64_t slot;       /* bytes from the CFA */
	unsigned int bytes; /* how many low bytes were copied */
	bool again;         /* the slot was overwritten later */
	uint32_t end;       /* offset of the next instruction from the entry */
	bool branched;      /* a conditional branch precedes it: it is not on every path */
	/* %rsp and %rbp as offsets from the CFA, before the instruction; or PROLOGUE_UNKNOWN */
	int64_t sp, bp;
};

struct prologue {
	size_t n;
	struct prologue_move moves[PROLOGUE_MOVES];
	uint32_t end; /* offset of the first instruction that was not followed */
	/* offset of the instruction that overwrites the register's value of the entry; or `end` */
	uint32_t kept[PROLOGUE_REGISTERS];
};

/*
 * Decodes the prologue of the function at vaddr, of `size` bytes (0: unknown). At most 1024 bytes
 * are decoded, up to the first call or unconditional jump.
 */
void prologue_read(const struct elf_file *f, uint64_t vaddr, uint64_t size, struct prologue *p);

#endif
