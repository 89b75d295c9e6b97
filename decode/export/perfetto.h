/* SPDX-License-Identifier: MIT */
/*
 * Items as a Perfetto trace: TrackEvent packets in protobuf, for ui.perfetto.dev and
 * trace_processor. Messages and field numbers are from perfetto's protos/perfetto/trace.
 *
 *  a task's events         instants on the track of its thread, under its process
 *  events without a task   instants on the track of their CPU
 *  sched:sched_switch      also slices on the track of the CPU: the running task
 *  USB transfers           slices from submission to completion, on a track for each endpoint
 *                          (overlapping transfers use further tracks below it), and a counter
 *                          of the bytes transferred
 *  losses                  a counter for each source
 *
 * Times are on the timeline (CLOCK_REALTIME, ns); a clock snapshot at the start relates them to
 * CLOCK_BOOTTIME and CLOCK_MONOTONIC.
 */
#ifndef TRAWL_DECODE_EXPORT_PERFETTO_H
#define TRAWL_DECODE_EXPORT_PERFETTO_H

#include "decode/export/export.h"

/* The format's run(); see export.h. */
int perfetto_export(const struct export_options *o, struct stream *s, struct out *out,
		    struct trawl_error *err);

#endif
