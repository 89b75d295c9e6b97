/* SPDX-License-Identifier: MIT */
/* Messages of bytes and descriptors between processes of this machine (SCM_RIGHTS, unix(7)). */
#ifndef TRAWL_CAPTURE_SYS_FDMESSAGE_H
#define TRAWL_CAPTURE_SYS_FDMESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { FDMESSAGE_MAX = 3 }; /* descriptors in one message */

/*
 * Sends `len` bytes, at least one, with n descriptors, which stay the caller's. False: not all of
 * it went, errno says why. SIGPIPE is not raised.
 */
bool fdmessage_send(int socket, const void *bytes, size_t len, const int *fds, size_t n);

/*
 * Waits for a message and returns how many bytes of it are in `bytes`; 0: there will be none, -1:
 * errno. `fds` takes its *n descriptors, which are the caller's and close at exec.
 */
ssize_t fdmessage_receive(int socket, void *bytes, size_t room, int fds[FDMESSAGE_MAX], size_t *n);

#endif
