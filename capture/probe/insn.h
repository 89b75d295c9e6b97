/* SPDX-License-Identifier: MIT */
/*
 * x86-64 instructions, as far as probes care: where they begin, and what a breakpoint on them
 * costs. With Zydis; without it nothing is known and nothing is refused.
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
 *	"step"                   run out of line by single step: about ten times the cost
 *	"refused"                the kernel puts no probe here
 *	""                       not known
 */
const char *insn_class(const struct elf_file *f, uint64_t vaddr);

/* What decoding from `start` tells of vaddr. */
enum insn_boundary {
	INSN_AT,      /* an instruction begins there */
	INSN_INSIDE,  /* in the middle of one: *begin and *next are around it */
	INSN_UNKNOWN, /* bytes in between do not decode, or trawl was built without Zydis */
};
enum insn_boundary insn_boundary(const struct elf_file *f, uint64_t start, uint64_t vaddr,
				 uint64_t *begin, uint64_t *next, char *text, size_t size);

/* Was trawl built with Zydis? */
bool insn_known(void);

#endif
