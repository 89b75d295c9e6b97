/* SPDX-License-Identifier: MIT */
/*
 * Whether a breakpoint would be set inside an instruction. The kernel does not check that: the
 * program would then execute other instructions than its own.
 */
#ifndef TRAWL_UPROBE_BOUNDARY_H
#define TRAWL_UPROBE_BOUNDARY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * boundary_inside() - true if `where`, an offset in bytes in the file open at fd, lies inside an
 * instruction (not at its first byte) of the function that a symbol of the file names there; *begin
 * is then the offset of that instruction. False where it does not, and where that cannot be known:
 * no symbol covers `where`, it lies more than BOUNDARY_CODE_MAX bytes after the function's
 * beginning, a byte does not decode, or the library was built without Zydis.
 */
#define BOUNDARY_CODE_MAX (1u << 20)
bool boundary_inside(int fd, uint64_t where, uint64_t *begin);

#endif
