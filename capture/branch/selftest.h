/* SPDX-License-Identifier: MIT */
/* trawl --self-test branch: checks that each back end records a known loop exactly. */
#ifndef TRAWL_CAPTURE_BRANCH_SELFTEST_H
#define TRAWL_CAPTURE_BRANCH_SELFTEST_H

#include <stdio.h>
#include "format/trawl.h"

/*
 * Prints a line for each back end, and a line to be sent with a report. Returns the exit status: 0
 * if all usable back ends are right, 1 if one is not; -1 with *err if none is usable.
 */
int branch_self_test(FILE *out, struct trawl_error *err);

#endif
