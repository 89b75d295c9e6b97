/* SPDX-License-Identifier: MIT */
/* Whether a breakpoint would lie in the middle of an instruction, which the kernel does not ask. */
#ifndef TRAWL_UPROBE_BOUNDARY_H
#define TRAWL_UPROBE_BOUNDARY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * boundary_inside() - true if `where` of process `pid` is inside of an instruction of the function that its file's
 * symbols name there; *begin is then where that instruction begins. False where it is not, or cannot be known: no
 * symbol covers it, a byte does not decode, the file is no longer the one that is mapped, or the library was built
 * without Zydis.
 */
bool boundary_inside(pid_t pid, unsigned long where, unsigned long *begin);

/* boundary_in_file() - the same of an offset in a file. BOUNDARY_CODE_MAX bytes before it are decoded at most. */
#define BOUNDARY_CODE_MAX (1u << 20)
bool boundary_in_file(int fd, uint64_t where, uint64_t *begin);

#endif
