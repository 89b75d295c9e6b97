/* SPDX-License-Identifier: MIT */
/* A flight recorder that runs: trawl --ring of another shell, which is asked for what it holds. */
#ifndef TRAWL_EDIT_RECORDER_H
#define TRAWL_EDIT_RECORDER_H

#include <stddef.h>

#include "format/trawl.h"

/*
 * Has the recorder of this pid (0: the only one that runs) write its file by SIGUSR1, and waits for
 * it; its name into path. -1 and *err: there is none, or several, or it wrote nothing. A signal of
 * this process's ends the wait, too.
 */
int recorder_save(int pid, char *path, size_t size, struct trawl_error *err);

#endif
