/* SPDX-License-Identifier: MIT */
/* Reading a recording: what is in its ring buffers goes to the session. */
#ifndef TRAWL_CAPTURE_TRACE_DRAIN_H
#define TRAWL_CAPTURE_TRACE_DRAIN_H

#include "capture/trace/state.h"

/* The drain() of a struct source, for in->state == a struct trace. */
int trace_drain(struct input *in, struct trawl_error *err);
/* Its reached(). */
uint64_t trace_reached(const struct input *in);

/* Captures a record that divert() took (state.h); as session_append(). */
int trace_put(struct trace *t, uint32_t cpu, const struct ring_event *ev, struct trawl_error *err);

/* Was the task followed at that time? 1 or 0; -1 with *err. */
int trace_is_of_scope(struct trace *t, pid_t tid, uint64_t ts, struct trawl_error *err);

#endif
