/* SPDX-License-Identifier: MIT */
/*
 * Names of instances and event groups in tracefs, which identify the process that owns them.
 *
 * A name is trawl_PID_STARTTIME_SOURCE. A PID is reused, but not with the same start time (clock
 * ticks since boot, in /proc/PID/stat). The owner of an instance also locks its folder (flock());
 * the kernel drops the lock when the process ends. The lock is valid across PID namespaces, the PID
 * is not.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_OWNER_H
#define TRAWL_CAPTURE_TRACEFS_OWNER_H

#include <stdbool.h>
#include <stddef.h>

enum { OWNER_NAME_MAX = 64 }; /* the kernel's limit of group names, NUL included */

/* Writes this process's name for a source. */
void owner_name(char name[OWNER_NAME_MAX], const char *source);

/* Whether a trawl has made this name. */
bool owner_is_name(const char *name);

/* Whether the process of that name is alive in this PID namespace. */
bool owner_alive(const char *name);

#endif
