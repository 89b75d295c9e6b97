/* SPDX-License-Identifier: MIT */
/* What users of tcpdump, perf, trace-cmd and bpftrace write after -i, and how it is written
 * here. */
#ifndef TRAWL_CAPTURE_OTHERSPEC_H
#define TRAWL_CAPTURE_OTHERSPEC_H

#include <stdbool.h>
#include <stddef.h>

/* "did you mean event:sched:sched_switch?" for text, which names no source; false: nothing is
 * known. */
bool otherspec_hint(const char *text, char *hint, size_t size);

#endif
