/* SPDX-License-Identifier: MIT */
/* Messages of bytes and descriptors between processes of this machine (SCM_RIGHTS, unix(7)). */
#ifndef TRAWL_CAPTURE_SYS_FDMESSAGE_H
#define TRAWL_CAPTURE_SYS_FDMESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { FDMESSAGE_MAX = 3 }; /* descriptors in one message */

/*
 * Sends `len` bytes, at least one, with n descriptors, which the caller keeps. Returns false if not
 * all bytes were sent; errno says why. SIGPIPE is not raised. flags: 0, or MSG_DONTWAIT to fail
 * instead of waiting for a peer that does not read.
 */
bool fdmessage_send(int socket, const void *bytes, size_t len, const int *fds, size_t n,
		    int flags);

/*
 * Waits for a message. Returns how many of its bytes are in `bytes`; 0: the peer has closed its
 * end, -1: errno says why. `fds` gets its *n descriptors, which the caller owns and which close at
 * exec; the kernel closes those beyond FDMESSAGE_MAX.
 */
ssize_t fdmessage_receive(int socket, void *bytes, size_t room, int fds[FDMESSAGE_MAX], size_t *n);

#endif
