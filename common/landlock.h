/* SPDX-License-Identifier: MIT */
/* Landlock, which has no library: all that it can deny is denied. */
#ifndef TRAWL_COMMON_LANDLOCK_H
#define TRAWL_COMMON_LANDLOCK_H

#include <stdbool.h>

/*
 * From now on the caller opens, makes and removes no file, and, where the kernel's Landlock knows
 * them, no TCP port; signals and abstract sockets stay inside. With `reading` files may be read
 * (the sanitizers do). Descriptors stay as they are. Needs no_new_privs. False: the kernel has
 * none.
 */
bool landlock_enter(bool reading);

#endif
