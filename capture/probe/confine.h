/* SPDX-License-Identifier: MIT */
/*
 * What a process that reads strangers' programs gives up before it enters the sandbox
 * (common/sandbox.h): descriptors, processor time and memory, the user and the capabilities.
 */
#ifndef TRAWL_CAPTURE_PROBE_CONFINE_H
#define TRAWL_CAPTURE_PROBE_CONFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Closes all but these. */
void confine_descriptors(const int *kept, size_t n);

/* 120 s of processor time; 8 GiB of memory beside files of `size` bytes; writes no file. */
void confine_resources(uint64_t size);

/* Root becomes nobody, by which all capabilities are gone; others stay who they are. */
bool confine_nobody(void);

/* Before a fork in a program with threads: waits until none of them holds the allocator. */
void confine_quiet_threads(void);

#endif
