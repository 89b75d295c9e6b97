/* SPDX-License-Identifier: MIT */
/* The instance of tracefs that a recording has: its options, ring buffers and their files. */
#ifndef TRAWL_CAPTURE_TRACE_INSTANCE_H
#define TRAWL_CAPTURE_TRACE_INSTANCE_H

#include "capture/trace/state.h"

/*
 * Makes the instance t->name below t->top, with recording off, and opens its ring buffers.
 * buffer_kb: per CPU; 0: the default. Returns 0, or -1 with *err; trace_disarm() removes the
 * instance after either.
 */
int trace_instance_make(struct trace *t, uint32_t buffer_kb, struct trawl_error *err);

#endif
