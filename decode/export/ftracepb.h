/* SPDX-License-Identifier: MIT */
/*
 * Scheduler events as Perfetto's ftrace packets (protos/perfetto/trace/ftrace/ of its sources).
 * Perfetto builds the tables sched and thread_state and the wake-up arrows only from these.
 */
#ifndef TRAWL_DECODE_EXPORT_FTRACEPB_H
#define TRAWL_DECODE_EXPORT_FTRACEPB_H

#include "decode/base/decoder.h"

/*
 * Appends the members of a FtraceEventBundle with this event; o must be in memory. `boot` is the
 * event's time on CLOCK_BOOTTIME in ns. Returns false and appends nothing if the item is not a
 * scheduler event known to Perfetto, or if its CPU or task is unknown.
 */
bool ftracepb_event(struct out *o, const struct decoder *d, void *state, const struct item *it,
		    uint64_t boot);

/* Appends the members of a bundle that reports lost events on this CPU. */
void ftracepb_loss(struct out *o, uint32_t cpu);

#endif
