/* SPDX-License-Identifier: MIT */
/* Aligns two sequences: finds which of their elements correspond (Myers' O(ND) algorithm). */
#ifndef TRAWL_DECODE_BASE_ALIGN_H
#define TRAWL_DECODE_BASE_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* n equal elements: from index a of the first sequence, from index b of the second. */
struct align_run {
	size_t a, b, n;
};

/*
 * Finds the runs of equal elements, in order; the last one ends at the ends of both sequences and
 * may be empty. They belong to the shortest edit script, unless the sequences differ in more than a
 * thousand places. The caller frees *runs. Returns false if memory runs out.
 */
bool align(const uint64_t *a, size_t na, const uint64_t *b, size_t nb, struct align_run **runs,
	   size_t *nruns);

#endif
