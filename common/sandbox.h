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

/* What a program that does more than read takes besides. */
enum sandbox_more {
	SANDBOX_FILES = 1 << 0,   /* files are opened for reading, of whatever name */
	SANDBOX_CODE = 1 << 1,    /* a file that is open is mapped to be run */
	SANDBOX_SOCKETS = 1 << 2, /* it talks by sockets that it has, and waits for signals */
};

/* The same with what these bits say. */
int sandbox_enter_with(const char *program, const char *subject, unsigned int more,
		       struct trawl_error *err);

/*
 * The same for a process that computes over what it has open, and talks by pipes and sockets that
 * it has: no threads, no changes of files.
 */
int sandbox_enter_parser(const char *program, const char *subject, struct trawl_error *err);

/* Is seccomp part of it? */
bool sandbox_has_seccomp(void);

#endif
