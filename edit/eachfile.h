/* SPDX-License-Identifier: MIT */
/* Commands that process each of several files by itself: their options, and a process for each. */
#ifndef TRAWL_EDIT_EACHFILE_H
#define TRAWL_EDIT_EACHFILE_H

#include "decode/query/reading.h"

struct eachfile {
	const char *out; /* -w; NULL: not given */
	int level;       /* --level; 0: not given */
	uint64_t memory; /* --memory, bytes; 0: the default */
	bool no_sandbox;
};

enum { OPTION_LEVEL = OPTION_PROGRAM };

/*
 * Parses the options that `letters` and long_options have, as for getopt_long(), which sets optind.
 * Returns 0, or -1 with *err.
 */
int eachfile_parse(struct eachfile *o, int argc, char **argv, const char *letters,
		   const struct option *long_options, struct trawl_error *err);

/* Processes one file. Returns 0, or -1 with *err. */
typedef int eachfile_fn(const struct eachfile *o, const char *path, struct trawl_error *err);

/*
 * Calls fn for each file; for several in a process each, because the sandbox of one allows opening
 * no other. Returns the exit status; messages have been printed.
 */
int eachfile_run(const struct eachfile *o, char **paths, int n, eachfile_fn *fn);

#endif
