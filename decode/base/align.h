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
 * Finds the runs of equal elements, in order. The last one ends at the ends of both; it may have no
 * elements. They are of the shortest edit script, except where the sequences differ in thousands of
 * places. The caller frees *runs. Returns 0, or -1 without memory.
 */
int align(const uint64_t *a, size_t na, const uint64_t *b, size_t nb, struct align_run **runs,
	  size_t *nruns);

#endif
