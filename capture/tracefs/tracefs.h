/* SPDX-License-Identifier: MIT */
/*
 * Finds tracefs, reads and writes its control files, makes and removes instances.
 *
 * `dir` is an open descriptor of the top folder, or of an instance's; `file` is a path below it. No
 * file is opened with O_TRUNC, which would remove the entries of other programs from uprobe_events,
 * dynamic_events and set_event_pid.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_TRACEFS_H
#define TRAWL_CAPTURE_TRACEFS_TRACEFS_H

#include <sys/types.h>
#include "format/trawl.h"

/* The remedy if permission is missing. */
#define TRACEFS_REMEDY "run trawl as root, or have trawl-access(8) let you"

/*
 * Opens tracefs at a mount point in /proc/self/mountinfo, or mounts it. Returns a descriptor of the
 * folder (O_CLOEXEC), owned by the caller; or -1 with *err.
 */
int tracefs_open(struct trawl_error *err);

/* Returns the contents of the file, NUL-terminated, malloc'd; NULL with *err. len may be NULL. */
char *tracefs_read(int dir, const char *file, size_t *len, struct trawl_error *err);

/*
 * Writes text with one write(). Returns 0, or -1 with *err and errno, from which the caller can
 * make a better message.
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

/* Whether the glob matches the name, by fnmatch(). */
bool tracefs_glob(const char *pattern, const char *name);

#endif
