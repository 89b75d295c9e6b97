/* SPDX-License-Identifier: MIT */
/*
 * Names of programs that distributions install, as tasks have them: shells, standard tools, common
 * servers. That one of them ran is no secret, and without it nobody understands what happened.
 */
#ifndef TRAWL_EDIT_KNOWNPROGRAMS_H
#define TRAWL_EDIT_KNOWNPROGRAMS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether name[0 .. len) is one, or the 15 bytes of one that the kernel keeps. */
bool known_program(const char *name, size_t len);
/* Calls `name` with each. */
void known_programs(void (*name)(void *arg, const char *name), void *arg);

#endif
