/* SPDX-License-Identifier: MIT */
/*
 * The kernel's return probe replaces the return address on the stack by the address of its
 * trampoline. Code that walks the program's stack then finds an address that belongs to no
 * function.
 */
#ifndef TRAWL_CAPTURE_PROBE_TRAMPOLINE_H
#define TRAWL_CAPTURE_PROBE_TRAMPOLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/probe/build.h"

/*
 * Why a return probe on the function at vaddr, of `length` bytes (0: unknown), may end the program,
 * worded to follow "a return probe may end the program: "; NULL if no reason is known. The text may
 * be in buf.
 */
const char *trampoline_danger(struct target *t, uint64_t vaddr, uint64_t length, char *buf,
			      size_t size);

/*
 * False if no instruction of the function is a ret, so that it does not return to an address on top
 * of the stack (Haskell). True if that is unknown: without a length, or without a disassembler.
 */
bool trampoline_has_return(const struct target *t, uint64_t vaddr, uint64_t length);

#endif
