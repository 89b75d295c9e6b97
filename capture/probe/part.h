/* SPDX-License-Identifier: MIT */
/*
 * Members of parameters and return values, also behind pointers, as gdb and perf probe write them:
 *
 *	cart->items[2].name       members of structures, elements of arrays and behind pointers
 *	cart.items[2].name        the same: "." follows a pointer or reference, too
 */
#ifndef TRAWL_CAPTURE_PROBE_PART_H
#define TRAWL_CAPTURE_PROBE_PART_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/probe/value.h"

/* What is wrong with a path. */
struct part_error {
	size_t at; /* offset in the path */
	char why[320];
};

#ifdef HAVE_DW
#include "capture/probe/param.h"

/*
 * Finds the part of a parameter that the path names, and appends it to out->params, by its members
 * if its type is shown by them. ret: the path begins with $retval, which is this value. False with
 * *e if there is no such part or its place is unknown.
 */
bool part_find(struct param_finder *f, const char *path, const struct dwarf_function *ret,
	       struct dwarf_function *out, struct part_error *e);
#endif

#endif
