/* SPDX-License-Identifier: MIT */
/* Recognises what users of tcpdump, perf, trace-cmd and bpftrace write after -i. */
#ifndef TRAWL_CAPTURE_OTHERSPEC_H
#define TRAWL_CAPTURE_OTHERSPEC_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes a hint, "did you mean event:sched:sched_switch?", for a text that names no source. Returns
 * false if the text has the form of none of these tools.
 */
bool otherspec_hint(const char *text, char *hint, size_t size);

#endif
