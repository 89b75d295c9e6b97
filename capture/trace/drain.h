/* SPDX-License-Identifier: MIT */
/* Reads the ring buffers of a recording into the session. */
#ifndef TRAWL_CAPTURE_TRACE_DRAIN_H
#define TRAWL_CAPTURE_TRACE_DRAIN_H

#include "capture/trace/state.h"

/* The drain() of a struct source, for in->state == a struct trace. */
int trace_drain(struct input *in, struct trawl_error *err);
/* The reached() of a struct source, likewise. */
uint64_t trace_reached(const struct input *in);

/* Captures a record that divert() (state.h) has kept. Returns as session_append(). */
int trace_put(struct trace *t, uint32_t cpu, const struct ring_event *ev, struct trawl_error *err);
/* Likewise, unless it is out of the scope or the span. */
int trace_take(struct trace *t, uint32_t cpu, const struct ring_event *ev, struct trawl_error *err);

/* Whether the task was followed at that time. Returns 1 or 0; -1 with *err. */
int trace_is_of_scope(struct trace *t, pid_t tid, uint64_t ts, struct trawl_error *err);

#endif
