/* SPDX-License-Identifier: MIT */
/*
 * Scheduler events as Perfetto's ftrace packets (protos/perfetto/trace/ftrace/ of its sources):
 * only of these it makes its tables sched and thread_state and the arrows of wake-ups.
 */
#ifndef TRAWL_DECODE_EXPORT_FTRACEPB_H
#define TRAWL_DECODE_EXPORT_FTRACEPB_H

#include "decode/base/decoder.h"

/*
 * Appends the members of a FtraceEventBundle with this one event, whose time on CLOCK_BOOTTIME is
 * `boot`; o is in memory. False, and nothing is appended, if the item is no event of the scheduler
 * that Perfetto knows, or its CPU or task is not known.
 */
bool ftracepb_event(struct out *o, const struct decoder *d, void *state, const struct item *it,
		    uint64_t boot);

/* Likewise the members of a bundle that says that events of this CPU were lost. */
void ftracepb_loss(struct out *o, uint32_t cpu);

#endif
