/* SPDX-License-Identifier: MIT */
/*
 * A file that has no name until it is given one, so that whoever is killed leaves nothing behind.
 * Where the file system has no such files (or there is no /proc to name them by) it is one beside
 * its place, NAME.PID~. Functions act with the rights that the thread has, and fail with errno.
 */
#ifndef TRAWL_COMMON_UNNAMED_H
#define TRAWL_COMMON_UNNAMED_H

#include <stdbool.h>

#include "common/destination.h"

struct unnamed {
	struct destination at; /* where it will get its name */
	int fd;       /* open for writing; -1: none */
	char *beside; /* the name it has there meanwhile; NULL: none */
};

#define UNNAMED_NONE { .at = DESTINATION_NONE, .fd = -1 }

/* Makes one, mode 0600, and takes over *at. 0, or -1: then *at is as it was. */
int unnamed_open(struct unnamed *n, struct destination *at);

/*
 * Gives it this name in its folder, NULL: the one it was opened for; what is there is replaced in
 * one step, or is in the way (EEXIST). 0 or -1.
 */
int unnamed_name(struct unnamed *n, const char *name, bool replace);

/*
 * When it could not be given its name: the one that it has meanwhile in the same folder, which then
 * stays; malloc'd. NULL: it has none.
 */
char *unnamed_leave(struct unnamed *n);

/* Closes it; without a name it is gone. Does nothing if there is none. */
void unnamed_close(struct unnamed *n);

#endif
