/* SPDX-License-Identifier: MIT */
/*
 * Detects changes of a recording by others. While it runs,
 *
 *	another program may switch off the recording, or one of its events;
 *	a module may be removed, and its events with it: the kernel then empties the buffer of each
 *	recording that has one of them (trace_module_remove_events());
 *	another program may empty the buffer.
 *
 * Each is reported once and makes the capture incomplete. Unread events of an emptied buffer are a
 * loss of unknown size in the file.
 */
#ifndef TRAWL_CAPTURE_TRACE_TAMPER_H
#define TRAWL_CAPTURE_TRACE_TAMPER_H

#include "capture/trace/state.h"

enum { TAMPER_EVENTS = 64 }; /* events in one check, which is made once a second */

/* Checks the recording, and the next `events` of its events, in turn. */
void tamper_check(struct trace *t, size_t events);

#endif
