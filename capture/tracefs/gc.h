/* SPDX-License-Identifier: MIT */
/* Removes instances and events that killed captures left in tracefs. */
#ifndef TRAWL_CAPTURE_TRACEFS_GC_H
#define TRAWL_CAPTURE_TRACEFS_GC_H

#include "format/trawl.h"

struct gc_count {
	unsigned int instances, events;
};

/*
 * Removes and counts the instances and events whose owner (owner.h) has ended, and nothing else.
 * top: descriptor of tracefs. Returns 0, or -1 with *err if some of them could not be removed.
 */
int gc_run(int top, struct gc_count *count, struct trawl_error *err);

/*
 * Removes a recording: switches the events of its instance off, removes the instance and all events
 * of its group from uprobe_events and dynamic_events. name: of both (owner.h); one of them may not
 * exist. Returns 0, or -1 with *err.
 */
int gc_remove(int top, const char *name, struct trawl_error *err);

#endif
