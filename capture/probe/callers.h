/* SPDX-License-Identifier: MIT */
/* Who calls a function, and whether what it returns is used. */
#ifndef TRAWL_CAPTURE_PROBE_CALLERS_H
#define TRAWL_CAPTURE_PROBE_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/probe/elf.h"

struct callers;

/* Reads all code of the file for calls. Never NULL. f must outlive it. */
struct callers *callers_open(struct elf_file *f);
void callers_close(struct callers *c);

/*
 * Does some caller in the file read %rax after a call of the function at vaddr? Then the function
 * does return a value. False if none is seen to: because there is none, or it calls in another way.
 */
bool callers_use_result(const struct callers *c, uint64_t vaddr);

/* Is there a direct call of the function at vaddr in the file? */
bool callers_any(const struct callers *c, uint64_t vaddr);

#endif
