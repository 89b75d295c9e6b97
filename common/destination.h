/* SPDX-License-Identifier: MIT */
/*
 * Where an output goes: a folder, which stays open, and a name in it. All that is done with the
 * name is done in that folder, so that nobody can put another folder in its place meanwhile.
 *
 * The way there leads over no symbolic link of another user: each part of the path is opened alone,
 * and a link is followed if it is ours or root's. Functions act with the rights that the thread
 * has, and fail with errno.
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
 * Finds the destination of a path. follow: a name that is a link is followed as links on the way
 * are, even to a file that does not exist yet. Returns 0, or -1 with errno; ENOLINK: a link belongs
 * neither to `us` nor to root.
 */
int destination_find(struct destination *d, const char *path, uid_t us, bool follow);

/*
 * Opens for writing what has the name, if that is no regular file: a pipe, a terminal, /dev/null.
 * Does not wait for a device. A FIFO needs a reader, which is given five seconds to come.
 * Returns the descriptor; -1 if a regular file or nothing has the name; -2 with errno:
 * ENOTUNIQ: a FIFO of another user, ENXIO: nobody reads it, EINTR: a signal that ends us is
 * pending.
 */
int destination_open_special(const struct destination *d, uid_t us);

/*
 * Opens for writing, in one step, a file that others read while it grows. make: a file that has the
 * name is replaced by an empty one, mode 0600, since another user may have a descriptor or a second
 * name of it; else a file must be there. What is no regular file is opened as by
 * destination_open_special(). Returns the descriptor, or -1 with errno.
 */
int destination_open(const char *path, uid_t us, bool make);

/* Closes and frees; does nothing the second time. */
void destination_close(struct destination *d);

/* What to say of the errno of these functions: a sentence after the name. */
const char *destination_fault(int error);

#endif
