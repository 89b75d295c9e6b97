/* SPDX-License-Identifier: MIT */
/* Denies everything that Landlock can deny. */
#ifndef TRAWL_COMMON_LANDLOCK_H
#define TRAWL_COMMON_LANDLOCK_H

#include <stdbool.h>

/*
 * From now on the process cannot open, create or remove files, nor, if the kernel's Landlock
 * supports it, use TCP ports, or send signals and connect to abstract sockets outside of the
 * sandbox. With `reading` it may read files (the sanitizers do). Open descriptors are not affected.
 * Needs no_new_privs. Returns false if the kernel has no Landlock.
 */
bool landlock_enter(bool reading);

#endif
