/* SPDX-License-Identifier: MIT */
/*
 * Names of instances and event groups in tracefs, which say who owns them and whether the owner
 * lives.
 *
 * A name is trawl_PID_STARTTIME_SOURCE. PIDs are reused; a PID with the start time of
 * /proc/PID/stat (clock ticks since boot) is not. The owner of an instance also holds a lock
 * (flock) on its directory, which the kernel drops when the process ends. The lock is valid across
 * PID namespaces, the PID in the name is not.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_OWNER_H
#define TRAWL_CAPTURE_TRACEFS_OWNER_H

#include <stdbool.h>
#include <stddef.h>

enum { OWNER_NAME_MAX = 64 }; /* the kernel's limit of group names, NUL included */

/* Writes this process's name for a source. */
void owner_name(char name[OWNER_NAME_MAX], const char *source);

/* Is this a name that a trawl made? */
bool owner_is_name(const char *name);

/* Does the process of that name live in this PID namespace? */
bool owner_alive(const char *name);

#endif
