/* SPDX-License-Identifier: MIT */
/*
 * A program enters the sandbox before it parses untrusted data. An attacker who exploits a parser
 * then controls a process that can compute, read and write its open descriptors, and nothing else.
 *
 * seccomp (by libseccomp) filters system calls: those listed in sandbox.c are allowed; opening
 * files fails with EPERM; calls that only an attacker makes (starting programs, sockets, renaming
 * files) end the program with a line and status 3; all others fail with ENOSYS, so that libraries
 * fall back to older calls. Root's capabilities are given up, except with SANDBOX_FILES. Landlock,
 * if the kernel has it, additionally denies files, TCP ports and signals, in case the filter has a
 * gap.
 */
#ifndef TRAWL_COMMON_SANDBOX_H
#define TRAWL_COMMON_SANDBOX_H

#include <stdbool.h>

#include "format/trawl.h"

/*
 * Enters the sandbox, which cannot be left. `program` and `subject` (what it reads) appear in the
 * line about a forbidden call; both strings must stay valid. Before, all files must be open, and
 * time zone and locale loaded. Threads may be started later, processes not. Without libseccomp
 * there is only Landlock, which is no error. Returns 0, or -1 with *err if the kernel refuses.
 */
int sandbox_enter(const char *program, const char *subject, struct trawl_error *err);

/* What a program may do in addition. */
enum sandbox_more {
	SANDBOX_FILES = 1 << 0,   /* open files for reading, of any name */
	SANDBOX_CODE = 1 << 1,    /* map an open file as executable */
	SANDBOX_SOCKETS = 1 << 2, /* use open sockets, wait for signals */
};

/* The same; more: enum sandbox_more. */
int sandbox_enter_with(const char *program, const char *subject, unsigned int more,
		       struct trawl_error *err);

/*
 * A stricter sandbox for a process that parses open files and talks through open pipes and sockets:
 * no threads, no changes of files.
 */
int sandbox_enter_parser(const char *program, const char *subject, struct trawl_error *err);

/* Whether this build has seccomp. */
bool sandbox_has_seccomp(void);

#endif
