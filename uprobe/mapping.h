/* SPDX-License-Identifier: MIT */
/* The file that a process has mapped at an address. */
#ifndef TRAWL_UPROBE_MAPPING_H
#define TRAWL_UPROBE_MAPPING_H

#include <stdint.h>
#include <sys/types.h>

/*
 * mapping_open() - a descriptor for reading, and in *offset what of the file is mapped at `where`.
 * -1 where there is no file, or it may not be opened, or one of that name is no longer the one that
 * is mapped.
 */
int mapping_open(pid_t pid, unsigned long where, uint64_t *offset);

#endif
