/* SPDX-License-Identifier: MIT */
/*
 * Functions whose first instruction may run several times in one call, so that a probe on it counts
 * more than calls. Needs Zydis.
 */
#ifndef TRAWL_CAPTURE_PROBE_REENTRY_H
#define TRAWL_CAPTURE_PROBE_REENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/probe/flow.h"

/*
 * The address behind the check of the stack with which a function of Go begins; 0 if it has none.
 * No argument has moved there, and a call comes by once.
 */
uint64_t reentry_behind_check(const struct code *code, uint64_t vaddr, uint64_t size);

/*
 * True if a direct jump inside the function of `size` bytes at vaddr leads to its first
 * instruction: a loop, or a last call of itself.
 */
bool reentry_jump(const struct code *code, uint64_t vaddr, uint64_t size);

#endif
