/* SPDX-License-Identifier: MIT */
/* System calls by number. */
#ifndef TRAWL_CAPTURE_KERNEL_SYSCALLNAME_H
#define TRAWL_CAPTURE_KERNEL_SYSCALLNAME_H

/*
 * Returns the name of a system call of this machine's 64-bit interface ("openat"); NULL if there is
 * none.
 */
const char *syscallname(long nr);

/* Returns the number of a system call; -1 if there is none of that name. */
long syscallname_number(const char *name);

#endif
