/* SPDX-License-Identifier: MIT */
/*
 * Errors for unknown options. For options of tcpdump, tshark, perf, trace-cmd and bpftrace the
 * message names the way to do it here; else the most similar option.
 */
#ifndef TRAWL_COMMON_OTHEROPT_H
#define TRAWL_COMMON_OTHEROPT_H

#include <getopt.h>

#include "format/trawl.h"

/* options: names separated by blanks, "-r --read"; remedy: what to write instead. */
struct otheropt {
	const char *options;
	const char *remedy;
};

/*
 * Fills *err for the unknown option `given` ("-r", "--sort=x"). table ends with options NULL; `all`
 * has the program's options.
 */
int otheropt_fail(const char *given, const struct otheropt *table, const struct option *all,
		  struct trawl_error *err);

#endif
