/* SPDX-License-Identifier: MIT */
/* Places of values, as DWARF has them, in the kernel's words. */
#ifndef TRAWL_CAPTURE_PROBE_PLACE_H
#define TRAWL_CAPTURE_PROBE_PLACE_H

#include "config.h"

#ifdef HAVE_DW
#include "capture/probe/argloc.h"
#include "capture/probe/location.h"

/* Each fills *to and returns true, or says in it why there is no value and returns false. */

__attribute__((format(printf, 2, 3))) bool nowhere(struct argloc *to, const char *why, ...);

/* Memory at an address that holds where a probe at vaddr is hit. */
bool in_memory(uint64_t vaddr, const struct symbolic *at, int64_t offset,
	       struct argloc *to);

/* Bytes of a register from `start` on. */
bool in_register(int reg, unsigned int start, struct argloc *to);

/* `start` bytes into a piece that holds there. */
bool in_piece(uint64_t vaddr, const struct piece *p, unsigned int start,
	      struct argloc *to);
#endif

#endif
