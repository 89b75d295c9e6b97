/* SPDX-License-Identifier: MIT */
/*
 * x86-64 instructions, as far as probes need them: where they begin, and what a breakpoint on them
 * costs. Decoded by Zydis; built without Zydis, nothing is known and nothing is refused.
 */
#ifndef TRAWL_CAPTURE_PROBE_INSN_H
#define TRAWL_CAPTURE_PROBE_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/probe/elf.h"

/*
 * How the kernel steps over the instruction at vaddr after its breakpoint:
 *	"nop", "push", "branch"  emulated: cheap
 *	"step"                   single-stepped out of line: about ten times the cost
 *	"refused"                the kernel puts no probe on it
 *	""                       unknown
 */
const char *insn_class(const struct elf_file *f, uint64_t vaddr);

/* Where vaddr is, if instructions are decoded from `start` on. */
enum insn_boundary {
	INSN_AT,      /* an instruction begins at vaddr */
	INSN_INSIDE,  /* vaddr is in the middle of an instruction */
	INSN_UNKNOWN, /* bytes in between are no instructions, or trawl was built without Zydis */
};
/* An instruction. */
struct insn_around {
	uint64_t begin, next; /* its address, and that of the one behind it */
	char text[128];       /* in assembler */
};

/*
 * Decodes instructions from `start`, where one must begin, up to vaddr. INSN_INSIDE: *around is the
 * instruction around vaddr.
 */
enum insn_boundary insn_boundary(const struct elf_file *f, uint64_t start, uint64_t vaddr,
				 struct insn_around *around);

/* True if trawl was built with Zydis. */
bool insn_known(void);

#endif
