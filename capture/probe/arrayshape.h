/* SPDX-License-Identifier: MIT */
/* Where the elements of an array are, and how its language numbers them. */
#ifndef TRAWL_CAPTURE_PROBE_ARRAYSHAPE_H
#define TRAWL_CAPTURE_PROBE_ARRAYSHAPE_H

#include "config.h"

#ifdef HAVE_DW
#include <elfutils/libdw.h>
#include <stdint.h>

struct array_shape {
	int dimensions;
	int64_t first; /* the number of the first element: 0 in C, mostly 1 in Fortran and Ada */
	uint64_t n;    /* how many elements the first dimension has; 0: unknown */
	/* why the elements are not one behind the other where the array is; NULL: they are */
	const char *elsewhere;
};

void array_shape_of(Dwarf_Die *array, struct array_shape *s);
#endif

#endif
