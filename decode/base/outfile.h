/* SPDX-License-Identifier: MIT */
/*
 * A file that a program makes at the user's wish (-w OUT): it comes into being whole, or what was
 * there before stays as it was. Whoever is interrupted or killed meanwhile leaves nothing behind
 * (common/unnamed.h).
 */
#ifndef TRAWL_DECODE_BASE_OUTFILE_H
#define TRAWL_DECODE_BASE_OUTFILE_H

#include "common/unnamed.h"
#include "format/trawl.h"

struct outfile {
	const char *name; /* as the user gave it */
	struct unnamed file;
	int fd;           /* to write to */
	int keeper[2];    /* to the process that names the file, and its answer; -1: there is
			   * none */
	pid_t pid;        /* of that */
};

/*
 * For its owner only: captures hold keystrokes and paths. "-" is standard output. What is no
 * regular file (a device, a pipe) is written directly. Only one at a time. 0, or -1 with *err.
 */
int outfile_open(struct outfile *f, const char *name, struct trawl_error *err);

/*
 * Has a process of its own give the file its name, or drop it if this one ends before: for programs
 * that will not be allowed to (common/sandbox.h). That process has the file and its folder open and
 * nothing else, and reads one byte from this process. 0, or -1 with *err: the file is gone, too.
 */
int outfile_keeper(struct outfile *f, struct trawl_error *err);

/*
 * Closes the file; if keep, it takes the place of what was there before, otherwise nothing has
 * happened. 0, or -1 with *err: then it was not kept.
 */
int outfile_close(struct outfile *f, bool keep, struct trawl_error *err);

#endif
