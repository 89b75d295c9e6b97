/* SPDX-License-Identifier: MIT */
/*
 * Items as a Perfetto trace: TrackEvent packets in protobuf, for ui.perfetto.dev and
 * trace_processor. The messages and field numbers are those of perfetto's protos/perfetto/trace.
 *
 *	a task's events         instants on the track of its thread, under its process
 *	events of no task       instants on the track of their CPU
 *	sched:sched_switch      also slices on the track of the CPU: who runs there
 *	USB transfers           slices from submission to completion, a track for each endpoint (a
 *	                        second one below it for transfers that overlap), and a counter of
 *	                        the bytes that have gone over it
 *	losses                  a counter for each source
 *
 * Times are of the timeline (CLOCK_REALTIME ns); a clock snapshot at the start relates them to
 * CLOCK_BOOTTIME and CLOCK_MONOTONIC.
 */
#ifndef TRAWL_DECODE_EXPORT_PERFETTO_H
#define TRAWL_DECODE_EXPORT_PERFETTO_H

#include "decode/export/export.h"

/* The format of trawl-export: see export.h. */
int perfetto_export(const struct export_options *o, struct stream *s, struct out *out,
		    struct trawl_error *err);

#endif
