/* SPDX-License-Identifier: MIT */
/* trawl --self-test branch: does each back end record a known loop exactly? */
#ifndef TRAWL_CAPTURE_BRANCH_SELFTEST_H
#define TRAWL_CAPTURE_BRANCH_SELFTEST_H

#include <stdio.h>
#include "format/trawl.h"

/* Prints a line for each back end, then one for a report. Returns the exit status: 0: all usable
 * ones are right, 1: one is not; -1 with *err: none is usable. */
int branch_self_test(FILE *out, struct trawl_error *err);

#endif
