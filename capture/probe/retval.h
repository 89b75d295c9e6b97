/* SPDX-License-Identifier: MIT */
/* Describes what a function returns, and where that is just before its ret instruction. */
#ifndef TRAWL_CAPTURE_PROBE_RETVAL_H
#define TRAWL_CAPTURE_PROBE_RETVAL_H

#include "config.h"

#ifdef HAVE_DW
#include "capture/probe/param.h"

/*
 * Fills out->ret, parts, results and proof from the return type, the conventions of the unit's
 * language, and the name and binding of the function's symbol. Takes a register from f->abi if the
 * caller passes the address for the result.
 */
void retval_describe(struct param_finder *f, struct dwarf_function *out);

/*
 * Takes back where a struct or a pair is returned if the function's parameters, which are known by
 * now, have shown that it does not follow the C calling convention.
 */
void retval_recheck(const struct param_finder *f, struct dwarf_function *out);
#endif

#endif
