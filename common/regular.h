/* SPDX-License-Identifier: MIT */
/*
 * Opening a file for reading whose path somebody else may control, and exchange at any time. A FIFO
 * would block, and opening a device may have effects (a watchdog, a tape): neither is opened.
 */
#ifndef TRAWL_COMMON_REGULAR_H
#define TRAWL_COMMON_REGULAR_H

/* Returns a descriptor, or -1 with errno; EBADF: the path leads to something else. */
int regular_open(const char *path);

#endif
