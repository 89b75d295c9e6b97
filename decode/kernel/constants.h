/* SPDX-License-Identifier: MIT */
/*
 * Constants that the kernel leaves in its print formats by name, though nothing in a capture tells
 * their values: those that are the same in every kernel, because programs know them
 * (uapi/linux/ioprio.h, netinet/tcp.h) or because they never changed (linux/hrtimer.h, since
 * 4.16). And C's own.
 */
#ifndef TRAWL_DECODE_KERNEL_CONSTANTS_H
#define TRAWL_DECODE_KERNEL_CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool constant_find(const char *name, size_t len, uint64_t *value);

#endif
