/* SPDX-License-Identifier: MIT */
/*
 * The destination of an output: an open folder and a name in it. All operations use this
 * descriptor, so that nobody can replace the folder meanwhile.
 *
 * A path is resolved part by part. A symbolic link is followed only if it belongs to us or to root,
 * so that no other user redirects the output. Functions act with the rights of the calling thread
 * and fail with errno.
 */
#ifndef TRAWL_COMMON_DESTINATION_H
#define TRAWL_COMMON_DESTINATION_H

#include <stdbool.h>
#include <sys/types.h>

struct destination {
	int folder; /* -1: none */
	char *name; /* one part of a path; "." if the path ends with a folder */
};

#define DESTINATION_NONE { .folder = -1 }

/*
 * Resolves a path. follow: if the last part is a link, it is followed, too, even to a file that
 * does not exist. Returns 0, or -1 with errno; ENOLINK: a link belongs neither to `us` nor to root.
 */
int destination_find(struct destination *d, const char *path, uid_t us, bool follow);

/*
 * Opens the destination for writing if it exists and is not a regular file: a pipe, a terminal,
 * /dev/null. Does not wait for a device. Waits up to five seconds for a reader of a FIFO. Returns
 * the descriptor; -1 if the name is free or a regular file; -2 with errno: ENOTUNIQ: a FIFO of
 * another user, ENXIO: it has no reader, EINTR: a signal that ends the program is pending.
 */
int destination_open_special(const struct destination *d, uid_t us);

/*
 * Opens a file for writing, while others may read it. make: replaces the file by an empty one with
 * mode 0600, in one step, because another user may have a descriptor or a second name of the old
 * one; else the file must exist. A special file is opened as by destination_open_special(). Returns
 * the descriptor, or -1 with errno.
 */
int destination_open(const char *path, uid_t us, bool make);

/* Closes and frees. May be called again. */
void destination_close(struct destination *d);

/* Returns the message for an errno of these functions, to follow the name of the output. */
const char *destination_fault(int error);

#endif
