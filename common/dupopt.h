/* SPDX-License-Identifier: MIT */
/* Refuses an option with a single value that is given twice. */
#ifndef TRAWL_COMMON_DUPOPT_H
#define TRAWL_COMMON_DUPOPT_H

#include <getopt.h>
#include <stdbool.h>

#include "format/trawl.h"

struct dupopt {
	bool seen[512]; /* by the value that getopt_long() returns */
};

/*
 * Notes that the option was given. Returns 0, or -1 with *err if it was given before. longs: the
 * long options, for its name.
 */
int dupopt_given(struct dupopt *o, int option, const struct option *longs, struct trawl_error *err);

#endif
