/* SPDX-License-Identifier: MIT */
/* Translates evaluated DWARF locations to tracefs' fetch arguments. */
#ifndef TRAWL_CAPTURE_PROBE_DWARFARGLOC_H
#define TRAWL_CAPTURE_PROBE_DWARFARGLOC_H

#include "config.h"

#ifdef HAVE_DW
#include "capture/probe/argloc.h"
#include "capture/probe/location.h"

/*
 * The functions here set *to, whose bits, is_signed and is_float describe the value, and return
 * true; or return false with the reason in to->why, as argloc_none() does.
 */

/* The value is in memory, at `at` plus offset bytes. vaddr: address of the probe. */
bool argloc_in_memory(uint64_t vaddr, const struct symbolic *at, int64_t offset,
		      struct argloc *to);

/* The value is in DWARF register reg, from byte `start` on. */
bool argloc_in_register(int reg, unsigned int start, struct argloc *to);

/* The value begins `start` bytes into the piece p. */
bool argloc_in_piece(uint64_t vaddr, const struct piece *p, unsigned int start,
		     struct argloc *to);
#endif

#endif
