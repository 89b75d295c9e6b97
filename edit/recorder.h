/* SPDX-License-Identifier: MIT */
/* Makes a running flight recorder (trawl --ring in another terminal) save its contents. */
#ifndef TRAWL_EDIT_RECORDER_H
#define TRAWL_EDIT_RECORDER_H

#include <stddef.h>

#include "format/trawl.h"

/*
 * Sends SIGUSR1 to the recorder with this pid (0: the only running one) and waits until its file is
 * written; stores the file's path in `path`. Returns 0; or -1 with *err if there is no such
 * recorder, or several, or it wrote no file within 120 s. A signal to this process ends the wait as
 * well.
 */
int recorder_save(int pid, char *path, size_t size, struct trawl_error *err);

#endif
