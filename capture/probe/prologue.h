/* SPDX-License-Identifier: MIT */
/*
 * What a function does with the registers that it is entered with, before it branches away or
 * calls: where debug information says that a parameter is in the frame, this tells from which
 * register it gets there. Needs Zydis.
 */
#ifndef TRAWL_CAPTURE_PROBE_PROLOGUE_H
#define TRAWL_CAPTURE_PROBE_PROLOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/probe/elf.h"

enum { PROLOGUE_MOVES = 64, PROLOGUE_REGISTERS = 33 };

/* Not known, of offsets from the CFA. */
#define PROLOGUE_UNKNOWN INT64_MIN

/* A register's value at the entry, copied. Registers have their numbers in DWARF. */
struct prologue_move {
	int from;
	int to;             /* -1: to memory at `slot` */
	int64_t slot;       /* from the CFA */
	unsigned int bytes; /* so many of the low ones */
	bool again;         /* the slot was written again */
	uint32_t end;       /* of the instruction, from the entry */
	bool branched;      /* after a branch: not on every path */
	int64_t sp, bp;     /* of %rsp and %rbp from the CFA at that instruction, or unknown */
};

struct prologue {
	size_t n;
	struct prologue_move moves[PROLOGUE_MOVES];
	bool overwritten[PROLOGUE_REGISTERS]; /* no longer what it was at the entry */
};

/* Reads the code of a function of `size` bytes (0: not known) at vaddr. */
void prologue_read(const struct elf_file *f, uint64_t vaddr, uint64_t size, struct prologue *p);

#endif
