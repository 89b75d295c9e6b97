/* SPDX-License-Identifier: MIT */
/* Probes on conditional jumps: a hit is an event only if the jump is taken. */
#ifndef TRAWL_CAPTURE_USER_JUMPED_H
#define TRAWL_CAPTURE_USER_JUMPED_H

#include <stddef.h>

#include "capture/probe/types.h"

enum { JUMPED_FILTER_MAX = 2048 };

/*
 * Writes the kernel's filter of the probe's event, or "" if no site is a conditional jump. Returns
 * buf.
 */
const char *jumped_filter(const struct probe *p, char *buf, size_t size);

#endif
