/* SPDX-License-Identifier: MIT */
/* Whether a breakpoint would lie in the middle of an instruction, which the kernel does not ask. */
#ifndef TRAWL_UPROBE_BOUNDARY_H
#define TRAWL_UPROBE_BOUNDARY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * boundary_inside() - true if `where`, an offset in the file, is inside of an instruction of the
 * function that the file's symbols name there; *begin is then where that instruction begins. False
 * where it is not, or cannot be known: no symbol covers it, it is more than BOUNDARY_CODE_MAX bytes
 * after the function's beginning, a byte does not decode, or the library was built without Zydis.
 */
#define BOUNDARY_CODE_MAX (1u << 20)
bool boundary_inside(int fd, uint64_t where, uint64_t *begin);

#endif
