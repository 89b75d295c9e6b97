/* SPDX-License-Identifier: MIT */
/*
 * A file that has no name before it is whole, and then one that was free: nothing that is there is
 * overwritten, and whoever is killed leaves nothing behind (where the file system can do that).
 */
#ifndef TRAWL_CAPTURE_OUTPUT_NEWFILE_H
#define TRAWL_CAPTURE_OUTPUT_NEWFILE_H

#include "common/unnamed.h"
#include "capture/sys/user.h"

struct newfile {
	struct unnamed file;
	char *wish; /* the name it is to have, or one with .1, .2, …: x.trawl, x.1.trawl */
	char *path; /* the name that it got; NULL before newfile_commit() */
	char *left; /* where it stays because newfile_commit() failed; NULL: nowhere */
};

/* The length of a name without its ".trawl", before which numbers of further files stand. */
size_t newfile_stem(const char *name);

/* Makes it, as the user, in the folder of `wish`; 0 or -1. Mode 0600. */
int newfile_open(struct newfile *f, const char *wish, const struct user *user,
		 struct trawl_error *err);

/* Gives it its name. Where that fails, it stays under the one that it has meanwhile, if any. */
int newfile_commit(struct newfile *f, const struct user *user, struct trawl_error *err);

/* Frees; a file without a name is gone, unless it was to have one. */
void newfile_close(struct newfile *f, const struct user *user);

#endif
