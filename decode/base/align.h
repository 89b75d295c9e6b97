/* SPDX-License-Identifier: MIT */
/* Two sequences side by side: which elements of one are which of the other (Myers, O(ND)). */
#ifndef TRAWL_DECODE_BASE_ALIGN_H
#define TRAWL_DECODE_BASE_ALIGN_H

#include <stddef.h>
#include <stdint.h>

/* n elements that are equal, from a and from b on. */
struct align_run {
	size_t a, b, n;
};

/*
 * The runs of equal tokens, in order; a run of no elements at the ends of both comes last. The edit
 * script is the shortest one, but of sequences that differ in thousands of places. To be freed by
 * the caller. -1: out of memory.
 */
int align(const uint64_t *a, size_t na, const uint64_t *b, size_t nb, struct align_run **runs,
	  size_t *nruns);

#endif
