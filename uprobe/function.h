/* SPDX-License-Identifier: MIT */
/* What a 64-bit ELF file says of its functions. */
#ifndef TRAWL_UPROBE_FUNCTION_H
#define TRAWL_UPROBE_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

/*
 * function_at() - true if a symbol of the file names a function that covers what is at `offset` in
 * it; *start is then the function's own offset, which is not after it. The file is anybody's:
 * nothing in it is believed before it has been compared with what there is, and no more of it is
 * read than FUNCTION_SYMBOLS_MAX symbols.
 */
#define FUNCTION_SYMBOLS_MAX (1u << 22)
bool function_at(int fd, uint64_t offset, uint64_t *start);

/*
 * function_of_go() - whether the file was made by Go, whose runtime walks over its stacks and moves
 * them.
 */
bool function_of_go(int fd);

#endif
