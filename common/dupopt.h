/* SPDX-License-Identifier: MIT */
/* Options that have one value: given twice, nobody knows which is meant. */
#ifndef TRAWL_COMMON_DUPOPT_H
#define TRAWL_COMMON_DUPOPT_H

#include <getopt.h>
#include <stdbool.h>

#include "format/trawl.h"

struct dupopt {
	bool seen[512]; /* by what getopt_long() returns */
};

/* Notes that the option was given; 0, or -1: it was before. longs: where its name stands. */
int dupopt_given(struct dupopt *o, int option, const struct option *longs, struct trawl_error *err);

#endif
