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

/* What whoever lacks permission can do. */
#define TRACEFS_REMEDY "run trawl as root, or have trawl-access(8) let you"

/*
 * Opens tracefs: where /proc/self/mountinfo says, else it mounts it if it may. Returns a directory
 * descriptor (O_CLOEXEC), or -1 with what to do.
 */
int tracefs_open(struct trawl_error *err);

/* The whole file, NUL-terminated, malloc'd; *len may be NULL. NULL on failure. */
char *tracefs_read(int dir, const char *file, size_t *len, struct trawl_error *err);

/* Writes text with one write(). Fails with errno kept, for those who know better what it means. */
int tracefs_write(int dir, const char *file, const char *text, struct trawl_error *err);
int tracefs_write_number(int dir, const char *file, uint64_t value, struct trawl_error *err);

bool tracefs_has(int dir, const char *file);

/*
 * What the kernel's error_log says about the given command, the last one that holds it:
 * "Field not found" in what, and the caret's column in the command, or -1. False if nothing.
 */
bool tracefs_error(int dir, const char *command, char *what, size_t size, int *column);

/* Does `pattern` (fnmatch) match? A plain string matches itself. */
bool tracefs_glob(const char *pattern, const char *name);

#endif
