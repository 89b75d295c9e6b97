/* SPDX-License-Identifier: MIT */
/* The file that a process has mapped at an address. */
#ifndef TRAWL_UPROBE_MAPPING_H
#define TRAWL_UPROBE_MAPPING_H

#include <stdint.h>
#include <sys/types.h>

/*
 * mapping_open() - opens the file that the process has mapped at the address `where`. Returns a
 * descriptor for reading, which the caller closes, and in *offset the offset in the file of the
 * byte at `where`. Returns -1 where no file is mapped, where it may not be opened, and where its
 * path now names another file.
 */
int mapping_open(pid_t pid, unsigned long where, uint64_t *offset);

#endif
