/* SPDX-License-Identifier: MIT */
/*
 * An unnamed file: it gets its name when it is complete. It replaces no other file: if the name is
 * taken, it gets another one. If the file system supports O_TMPFILE, a killed process leaves no
 * file.
 */
#ifndef TRAWL_CAPTURE_OUTPUT_NEWFILE_H
#define TRAWL_CAPTURE_OUTPUT_NEWFILE_H

#include "common/unnamed.h"
#include "capture/sys/user.h"

struct newfile {
	struct unnamed file;
	char *wish; /* the name that it gets if that is free; else x.1.trawl, x.2.trawl … */
	char *path; /* the name that it got; NULL before newfile_commit() */
	char *left; /* path where it was left because newfile_commit() failed; or NULL */
};

/*
 * Returns the length of a name without its ".trawl": numbers of further files are inserted there.
 */
size_t newfile_stem(const char *name);

/*
 * Makes the file, as the user, in the folder of `wish`, with mode 0600. Returns 0, or -1 with *err.
 */
int newfile_open(struct newfile *f, const char *wish, const struct user *user,
		 struct trawl_error *err);

/* Gives the file its name. Returns 0, or -1 with *err; then the file is at `left`. */
int newfile_commit(struct newfile *f, const struct user *user, struct trawl_error *err);

/* Frees *f. A file that has no name and is not at `left` is removed. */
void newfile_close(struct newfile *f, const struct user *user);

#endif
