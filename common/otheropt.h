/* SPDX-License-Identifier: MIT */
/*
 * Options that a program does not have: what users of tcpdump, tshark, perf, trace-cmd and bpftrace
 * type, and what does it here; else the nearest option that there is.
 */
#ifndef TRAWL_COMMON_OTHEROPT_H
#define TRAWL_COMMON_OTHEROPT_H

#include <getopt.h>

#include "format/trawl.h"

/* options: names as typed, "-r --read", with blanks between; remedy: what to write instead. */
struct otheropt {
	const char *options;
	const char *remedy;
};

/*
 * Fails for `given` ("-r", "--sort=x"), which is no option. table ends with a NULL in options; all
 * is the program's own list.
 */
int otheropt_fail(const char *given, const struct otheropt *table, const struct option *all,
		  struct trawl_error *err);

#endif
