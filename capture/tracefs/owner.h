/* SPDX-License-Identifier: MIT */
/*
 * Names that tell whose an instance or an event group of tracefs is, and whether its owner lives.
 *
 * The name is trawl_PID_STARTTIME_SOURCE: a process id alone comes again, with the start time of
 * /proc/PID/stat (clock ticks since boot) it does not. The owner of an instance also holds a lock
 * (flock) on its directory, which the kernel drops with the process: that holds across pid
 * namespaces, where the pid of another trawl means nothing to us.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_OWNER_H
#define TRAWL_CAPTURE_TRACEFS_OWNER_H

#include <stdbool.h>
#include <stddef.h>

enum { OWNER_NAME_MAX = 64 }; /* as the kernel's for group names, NUL included */

/* This process's name for a source. */
void owner_name(char name[OWNER_NAME_MAX], const char *source);

/* Is this a name that a trawl made? */
bool owner_is_name(const char *name);

/* Does the process of that name live, as far as the pids that we see tell? */
bool owner_alive(const char *name);

#endif
