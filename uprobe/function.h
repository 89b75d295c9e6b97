/* SPDX-License-Identifier: MIT */
/* What a 64-bit ELF file says of its functions. */
#ifndef TRAWL_UPROBE_FUNCTION_H
#define TRAWL_UPROBE_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

/*
 * function_at() - true if a symbol of type FUNC covers the byte at `offset` in the file; *start is
 * then the offset of the function's first byte, at or before `offset`. Anybody may have made the
 * file: every offset and size in it is checked before use, and at most FUNCTION_SYMBOLS_MAX symbols
 * are read.
 */
#define FUNCTION_SYMBOLS_MAX (1u << 22)
bool function_at(int fd, uint64_t offset, uint64_t *start);

/*
 * function_of_go() - whether the Go linker made the file. Go's runtime walks over its stacks and
 * moves them, so that a return address on them must not be replaced.
 */
bool function_of_go(int fd);

#endif
