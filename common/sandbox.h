/* SPDX-License-Identifier: MIT */
/*
 * What a program gives up before it looks at data from strangers. Whoever finds a fault in a parser
 * then has a process that computes, reads and writes the descriptors that it has, and nothing else.
 *
 * seccomp (by libseccomp) decides what is called: what is listed in sandbox.c is allowed; opening
 * files fails with EPERM; the plainest of what only an attacker calls (programs, sockets, names of
 * files) ends the program with one line and status 3; all else does not exist (ENOSYS), so that
 * libraries fall back to what they used before. Landlock, where the kernel has it, denies every
 * file, TCP port and signal besides, in case seccomp has a hole.
 */
#ifndef TRAWL_COMMON_SANDBOX_H
#define TRAWL_COMMON_SANDBOX_H

#include <stdbool.h>

#include "format/trawl.h"

/*
 * Enters, for ever. `program` and `subject` name who read what in the line of a forbidden call and
 * stay valid. Every file must be open, time zone and locale loaded; threads may be started later,
 * processes may not. Built without libseccomp it is Landlock alone, and no error. 0, or -1 with
 * *err: the kernel refused.
 */
int sandbox_enter(const char *program, const char *subject, struct trawl_error *err);

/*
 * The same for a process that computes over what it has open, and talks by pipes and sockets that
 * it has: no threads, no changes of files.
 */
int sandbox_enter_parser(const char *program, const char *subject, struct trawl_error *err);

/* Is seccomp part of it? */
bool sandbox_has_seccomp(void);

#endif
