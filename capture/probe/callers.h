/* SPDX-License-Identifier: MIT */
/* The direct calls in a file, and whether the callers use what a function returns. */
#ifndef TRAWL_CAPTURE_PROBE_CALLERS_H
#define TRAWL_CAPTURE_PROBE_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/probe/elf.h"

struct callers;

/*
 * Scans all code of the file for direct calls. Never NULL; to be freed with callers_close(). f must
 * outlive it.
 */
struct callers *callers_open(struct elf_file *f);
void callers_close(struct callers *c);

/*
 * True if some caller in the file reads %rax (second: %rdx) after a call of the function at vaddr:
 * then the function returns a value there. False proves nothing: there may be no such caller, or
 * only indirect calls.
 */
bool callers_use_result(const struct callers *c, uint64_t vaddr, bool second);

/* True if the file has a direct call of the function at vaddr. */
bool callers_any(const struct callers *c, uint64_t vaddr);

#endif
