/* SPDX-License-Identifier: MIT */
/*
 * Constants that appear by name in the kernel's print formats although a capture does not contain
 * their values. Only constants that are the same in every kernel are listed: they are part of the
 * ABI (uapi/linux/ioprio.h, netinet/tcp.h), have never changed (linux/hrtimer.h, since 4.16), or
 * belong to C.
 */
#ifndef TRAWL_DECODE_KERNEL_CONSTANTS_H
#define TRAWL_DECODE_KERNEL_CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool constant_find(const char *name, size_t len, uint64_t *value);

#endif
