/* SPDX-License-Identifier: MIT */
/*
 * Files of tracefs: find it, read and write its control files, make and remove instances.
 *
 * A directory of tracefs is an open file descriptor: the top one, or an instance's. `file` is a
 * path below it. Nothing here ever opens a file with O_TRUNC: on uprobe_events, dynamic_events and
 * set_event_pid that would wipe what others put there.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_TRACEFS_H
#define TRAWL_CAPTURE_TRACEFS_TRACEFS_H

#include <sys/types.h>
#include "format/trawl.h"

/* The remedy of a lack of permission. */
#define TRACEFS_REMEDY "run trawl as root, or have trawl-access(8) let you"

/*
 * Opens tracefs where /proc/self/mountinfo lists it, or mounts it. Returns a directory descriptor
 * (O_CLOEXEC), or -1 with *err.
 */
int tracefs_open(struct trawl_error *err);

/* Returns the whole file, NUL-terminated, malloc'd, or NULL with *err. len may be NULL. */
char *tracefs_read(int dir, const char *file, size_t *len, struct trawl_error *err);

/*
 * Writes text with one write(). Returns 0, or -1 with *err and errno, so that the caller can give a
 * better message.
 */
int tracefs_write(int dir, const char *file, const char *text, struct trawl_error *err);
int tracefs_write_number(int dir, const char *file, uint64_t value, struct trawl_error *err);

bool tracefs_has(int dir, const char *file);

/*
 * Finds the newest entry of the kernel's error_log whose command contains the given one. Writes its
 * message ("Field not found") to `what` and the caret's column in the command, or -1, to *column.
 * Returns false if there is none.
 */
bool tracefs_error(int dir, const char *command, char *what, size_t size, int *column);

/* Does `pattern` (fnmatch) match? A plain string matches itself. */
bool tracefs_glob(const char *pattern, const char *name);

#endif
