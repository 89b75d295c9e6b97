/* SPDX-License-Identifier: MIT */
/*
 * Opens separate debug files. The confined reader may not open files: its parent does, if the
 * path is one that it allows (apart.h). Anywhere else files are opened directly.
 */
#ifndef TRAWL_CAPTURE_PROBE_OPENER_H
#define TRAWL_CAPTURE_PROBE_OPENER_H

#include <stdbool.h>
#include <stddef.h>

enum { OPENER_PATH_MAX = 4096 };

/* From now on opener_open() of this process asks the parent at this socket (SOCK_SEQPACKET). */
void opener_set_socket(int socket);

/*
 * Opens a debug file for reading. Returns the descriptor, which the caller closes; -1 if there is
 * no such file or it may not be opened.
 */
int opener_open(const char *path);

/*
 * Answers one request that is waiting at the socket. folders: the absolute paths of the n folders
 * with the probed programs. False if the reader has gone, or if its request is malformed or cannot
 * be answered: no further request is to be answered then.
 */
bool opener_answer(int socket, const char *const *folders, size_t n);

/*
 * True if a process that reads foreign programs may have this file opened: the path is absolute and
 * without "..", and lies below /usr/lib/debug, in the folder of a probed program, or in that
 * folder's .debug.
 */
bool opener_allows(const char *path, const char *const *folders, size_t n);

#endif
