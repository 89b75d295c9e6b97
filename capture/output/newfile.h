/* SPDX-License-Identifier: MIT */
/*
 * A file that gets its name when it is whole. It overwrites no other file: if the name is taken, it
 * gets another. Where the file system has unnamed files, a killed process leaves nothing behind.
 */
#ifndef TRAWL_CAPTURE_OUTPUT_NEWFILE_H
#define TRAWL_CAPTURE_OUTPUT_NEWFILE_H

#include "common/unnamed.h"
#include "capture/sys/user.h"

struct newfile {
	struct unnamed file;
	char *wish; /* the name that it gets if that is free, else x.1.trawl, x.2.trawl … */
	char *path; /* the name that it got; NULL before newfile_commit() */
	char *left; /* where it stays because newfile_commit() failed; NULL: nowhere */
};

/* The length of a name without its ".trawl", before which numbers of further files stand. */
size_t newfile_stem(const char *name);

/* Makes the file, as the user, in the folder of `wish`, with mode 0600. 0, or -1 with *err. */
int newfile_open(struct newfile *f, const char *wish, const struct user *user,
		 struct trawl_error *err);

/* Gives the file its name. If that fails, it stays where `left` says. 0, or -1 with *err. */
int newfile_commit(struct newfile *f, const struct user *user, struct trawl_error *err);

/* Frees *f. A file that has no name and is not at `left` is removed. */
void newfile_close(struct newfile *f, const struct user *user);

#endif
