/* SPDX-License-Identifier: MIT */
/*
 * How what reads programs opens separate debug files: itself; or, where it may open nothing, by
 * asking the process that started it, which decides by the path (apart.h).
 */
#ifndef TRAWL_CAPTURE_PROBE_OPENER_H
#define TRAWL_CAPTURE_PROBE_OPENER_H

#include <stdbool.h>
#include <stddef.h>

enum { OPENER_PATH_MAX = 4096 };

/* From now on opener_open() asks at this socket (SOCK_SEQPACKET); for a process of its own. */
void opener_ask(int socket);

/* A debug file, to be read; -1: there is none, or it may not be opened. */
int opener_open(const char *path);

/*
 * Answers a question that waits at the socket. folders: where the programs are, absolute. False:
 * the one who asks has gone, or asks what opener_open() would not.
 */
bool opener_answer(int socket, const char *const *folders, size_t n);

/*
 * May this be opened for somebody who reads programs from strangers? Absolute and without "..":
 * below /usr/lib/debug, in a program's folder, or in .debug of one.
 */
bool opener_allows(const char *path, const char *const *folders, size_t n);

#endif
