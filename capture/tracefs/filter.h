/* SPDX-License-Identifier: MIT */
/* Sets the kernel's filters of trace events. Source: Documentation/trace/events.rst. */
#ifndef TRAWL_CAPTURE_TRACEFS_FILTER_H
#define TRAWL_CAPTURE_TRACEFS_FILTER_H

#include "format/trawl.h"

/*
 * Sets the filter of GROUP:NAME in the instance. Returns 0, or -1 with *err: the kernel's message,
 * with a caret in the filter.
 */
int filter_set(int instance, const char *group, const char *name, const char *filter,
	       struct trawl_error *err);

#endif
