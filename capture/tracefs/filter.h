/* SPDX-License-Identifier: MIT */
/* The kernel's own filters of trace events: Documentation/trace/events.rst. */
#ifndef TRAWL_CAPTURE_TRACEFS_FILTER_H
#define TRAWL_CAPTURE_TRACEFS_FILTER_H

#include "format/trawl.h"

/* Sets that of GROUP:NAME in the instance; -1 with what the kernel says of it, and where. */
int filter_set(int instance, const char *group, const char *name, const char *filter,
	       struct trawl_error *err);

#endif
