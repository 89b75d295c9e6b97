/* SPDX-License-Identifier: MIT */
/*
 * The kernel's return probe writes the address of its trampoline over the return address on the
 * stack. What walks the stack of the program finds an address that belongs to no function.
 */
#ifndef TRAWL_CAPTURE_PROBE_TRAMPOLINE_H
#define TRAWL_CAPTURE_PROBE_TRAMPOLINE_H

#include <stddef.h>

#include "capture/probe/build.h"

/*
 * Why a return probe on the function at vaddr may end the program, in words that follow "would end
 * the program: "; NULL if nothing is known against it. buf may hold the text.
 */
const char *trampoline_danger(struct target *t, uint64_t vaddr, char *buf, size_t size);

#endif
