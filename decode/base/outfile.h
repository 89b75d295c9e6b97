/* SPDX-License-Identifier: MIT */
/*
 * An output file (-w OUT). It appears when it is complete; until then an existing file is
 * unchanged. A program that is interrupted or killed leaves nothing behind (common/unnamed.h).
 */
#ifndef TRAWL_DECODE_BASE_OUTFILE_H
#define TRAWL_DECODE_BASE_OUTFILE_H

#include "common/unnamed.h"
#include "format/trawl.h"

struct outfile {
	const char *name; /* as the user gave it */
	struct unnamed file;
	int fd;           /* to write to */
	int keeper[2];    /* pipes to the keeper process and back; -1: there is none */
	pid_t pid;        /* of the keeper */
};

/*
 * Opens an output file with mode 0600, because captures contain keystrokes and paths. "-" is
 * standard output. A device or pipe is written directly. Only one may be open. Returns 0, or -1
 * with *err.
 */
int outfile_open(struct outfile *f, const char *name, struct trawl_error *err);

/*
 * Starts a keeper: a process that gives the file its name, or removes it if the program ends
 * before. For programs in a sandbox (common/sandbox.h), which cannot do this. The keeper has only
 * the file and its folder open, and reads one byte from the program. Returns 0, or -1 with *err and
 * without file.
 */
int outfile_keeper(struct outfile *f, struct trawl_error *err);

/*
 * Closes the file. keep: gives it its name and replaces an existing file; otherwise drops it.
 * Returns 0, or -1 with *err: the file was dropped.
 */
int outfile_close(struct outfile *f, bool keep, struct trawl_error *err);

/*
 * Closes the output of a program that ends with this status. The file appears if the program
 * succeeded, or if it saved what it could of damaged data (TRAWL_BAD_DATA). Of damaged data no
 * empty file appears: nothing was saved, and it would replace another one. Returns as
 * outfile_close().
 */
int outfile_end(struct outfile *f, enum trawl_status status, struct trawl_error *err);

#endif
