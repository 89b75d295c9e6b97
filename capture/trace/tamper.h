/* SPDX-License-Identifier: MIT */
/*
 * Is a recording still what it was set up as? While it runs, others may act on it:
 *
 *	somebody switches the recording off, or one of its events
 *	a module goes, and its events with it. The kernel then empties the buffer of each recording
 *	that had one of them, of all that it holds (trace_module_remove_events())
 *	somebody empties the buffer
 *
 * Each is told, once, and makes the capture incomplete. What was thrown away unread is a loss of
 * unknown size in the file.
 */
#ifndef TRAWL_CAPTURE_TRACE_TAMPER_H
#define TRAWL_CAPTURE_TRACE_TAMPER_H

#include "capture/trace/state.h"

/* As many events of a recording in one look, which comes once a second. */
enum { TAMPER_EVENTS = 64 };

/*
 * Looks at the recording and at so many of its events, those that it has not looked at the
 * longest.
 */
void tamper_look(struct trace *t, size_t events);

#endif
