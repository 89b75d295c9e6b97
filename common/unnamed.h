/* SPDX-License-Identifier: MIT */
/*
 * A file without a name (O_TMPFILE) until it is complete, so that a killed program leaves nothing
 * behind. If the file system has no such files, or there is no /proc, it has the name NAME.PID~
 * meanwhile. Functions act with the rights of the calling thread and fail with errno.
 */
#ifndef TRAWL_COMMON_UNNAMED_H
#define TRAWL_COMMON_UNNAMED_H

#include <stdbool.h>

#include "common/destination.h"

struct unnamed {
	struct destination at; /* the folder and its final name */
	int fd;       /* open for writing; -1: none */
	char *beside; /* its temporary name in that folder; NULL: none */
};

#define UNNAMED_NONE { .at = DESTINATION_NONE, .fd = -1 }

/* Creates a file with mode 0600; then owns *at. Returns 0, or -1 with errno and *at unchanged. */
int unnamed_open(struct unnamed *n, struct destination *at);

/*
 * Gives the file a name in its folder; NULL: the name in n->at. An existing file is replaced
 * atomically, or without `replace` is an error (EEXIST). Returns 0, or -1 with errno.
 */
int unnamed_name(struct unnamed *n, const char *name, bool replace);

/*
 * After a failed unnamed_name(): keeps the file under its temporary name, and returns that name, to
 * be freed. NULL if it has none: the file will be gone.
 */
char *unnamed_leave(struct unnamed *n);

/* Closes the file; without a name it is gone. Does nothing if there is no file. */
void unnamed_close(struct unnamed *n);

#endif
