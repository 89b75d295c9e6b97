/* SPDX-License-Identifier: MIT */
/* The line that defines a probe in tracefs' uprobe_events. */
#ifndef TRAWL_CAPTURE_PROBE_DEFINITION_H
#define TRAWL_CAPTURE_PROBE_DEFINITION_H

#include <stddef.h>

#include "capture/probe/types.h"
#include "format/trawl.h"

/*
 * Writes the definition of one site, with its newline: "p:GROUP/EVENT
 * /proc/self/fd/5:0x11a0(0x301c) ...", 0x301c being the semaphore's file offset. It names the file
 * by its descriptor and is valid in this process only. size should be PROBE_DEFINITION_MAX + 1.
 * Returns 0, or -1 with *err if the kernel's limit is exceeded.
 */
int probe_definition(const struct probe *p, size_t site, const char *group, char *buf, size_t size,
		     struct trawl_error *err);

#endif
