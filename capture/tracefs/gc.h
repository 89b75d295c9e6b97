/* SPDX-License-Identifier: MIT */
/* Removes what captures that were killed left in tracefs. */
#ifndef TRAWL_CAPTURE_TRACEFS_GC_H
#define TRAWL_CAPTURE_TRACEFS_GC_H

#include "format/trawl.h"

struct gc_count {
	unsigned int instances, events;
};

/*
 * Removes the instances and events of dead owners, and nothing else. `top` is tracefs. Counts what
 * it removed; fails only if something of a dead owner would not go, and then went on with the rest.
 */
int gc_run(int top, struct gc_count *count, struct trawl_error *err);

/* Takes down an instance: switches its events off and removes it. */
int gc_remove_instance(int top, const char *name, struct trawl_error *err);

/* Removes all events of a group from uprobe_events and dynamic_events; returns how many, or -1. */
int gc_remove_group(int top, const char *group, struct trawl_error *err);

#endif
