/* SPDX-License-Identifier: MIT */
/*
 * The kernel's return probe replaces the return address on the stack by the address of its
 * trampoline. Code that walks the program's stack then finds an address that belongs to no
 * function.
 */
#ifndef TRAWL_CAPTURE_PROBE_TRAMPOLINE_H
#define TRAWL_CAPTURE_PROBE_TRAMPOLINE_H

#include <stddef.h>

#include "capture/probe/build.h"

/*
 * Why a return probe on the function at vaddr may end the program, worded to follow "a return probe
 * may end the program: "; NULL if no reason is known. The text may be in buf.
 */
const char *trampoline_danger(struct target *t, uint64_t vaddr, char *buf, size_t size);

#endif
