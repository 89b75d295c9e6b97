/* SPDX-License-Identifier: MIT */
/*
 * Is a recording still what it was set up as? While it runs, others may act on it:
 *
 *	somebody switches the recording off, or one of its events
 *	a module goes, and its events with it. The kernel then empties the buffer of each recording
 *	that had one of them, of all that it holds (trace_module_remove_events())
 *	somebody empties the buffer
 *
 * Each is reported once and makes the capture incomplete. Unread events of an emptied buffer are a
 * loss of unknown size in the file.
 */
#ifndef TRAWL_CAPTURE_TRACE_TAMPER_H
#define TRAWL_CAPTURE_TRACE_TAMPER_H

#include "capture/trace/state.h"

enum { TAMPER_EVENTS = 64 }; /* that one check, once a second, looks at */

/* Checks the recording and `events` of its events, those whose last check is the longest ago. */
void tamper_look(struct trace *t, size_t events);

#endif
