/* SPDX-License-Identifier: MIT */
/*
 * Privileges and resources that a process gives up before it parses foreign programs and enters the
 * sandbox (common/sandbox.h): descriptors, CPU time and memory, user and capabilities.
 */
#ifndef TRAWL_CAPTURE_PROBE_CONFINE_H
#define TRAWL_CAPTURE_PROBE_CONFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Closes all descriptors but the n in kept. */
void confine_descriptors(const int *kept, size_t n);

/*
 * Limits this process to 120 s of CPU time, to 8 GiB of memory plus `size` bytes for its files, and
 * to writing no file.
 */
void confine_resources(uint64_t size);

/*
 * Changes root to user nobody, which drops all capabilities; other users stay who they are. False
 * if that failed.
 */
bool confine_nobody(void);

/*
 * To be called before fork() in a program with threads: waits until no other thread can hold the
 * allocator's lock.
 */
void confine_quiet_threads(void);

#endif
