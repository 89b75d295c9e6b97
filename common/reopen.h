/* SPDX-License-Identifier: MIT */
/* Opening what an O_PATH descriptor refers to, once its type is known. */
#ifndef TRAWL_COMMON_REOPEN_H
#define TRAWL_COMMON_REOPEN_H

/*
 * Opens what `place` refers to. Without /proc it opens `name` in `folder` (AT_FDCWD: the path), and
 * checks that it is the same file. Returns a descriptor, or -1 with errno; EAGAIN: the name leads
 * to another file by now.
 */
int reopen(int place, int folder, const char *name, int flags);

#endif
