/* SPDX-License-Identifier: MIT */
/*
 * A file that has no name until it is given one, so that whoever is killed leaves nothing behind.
 * Where the file system has no such files (or there is no /proc to name them by) it is one beside
 * its place, PATH.PID~. Functions act with the rights that the thread has, and fail with errno.
 */
#ifndef TRAWL_COMMON_UNNAMED_H
#define TRAWL_COMMON_UNNAMED_H

#include <stdbool.h>
#include <sys/types.h>

struct unnamed {
	int fd;       /* open for writing; -1: none */
	char *beside; /* the name it has meanwhile; NULL: none */
};

/* Makes one in the folder of path, mode 0600. 0 or -1. */
int unnamed_open(struct unnamed *n, const char *path);

/*
 * Where a new file of this name belongs: what a symbolic link leads to, also if nothing is there
 * yet; malloc'd. NULL with errno; EPERM: a link is neither us' nor root's, and not followed.
 */
char *unnamed_target(const char *path, uid_t us);

/*
 * Gives it its name; what is there is replaced in one step, or is in the way (EEXIST). 0 or -1.
 */
int unnamed_name(struct unnamed *n, const char *path, bool replace);

/*
 * When it could not be given its name: the one that it has meanwhile, which then stays; malloc'd.
 * NULL: it has none.
 */
char *unnamed_leave(struct unnamed *n);

/* Closes it; without a name it is gone. Does nothing if there is none. */
void unnamed_close(struct unnamed *n);

#endif
