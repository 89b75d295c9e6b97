/* SPDX-License-Identifier: MIT */
/* Losses of a recording: the kernel's counters, and the losses in the file. */
#ifndef TRAWL_CAPTURE_TRACE_LOSSES_H
#define TRAWL_CAPTURE_TRACE_LOSSES_H

#include "capture/trace/state.h"

/* Reads the kernel's counters of one CPU. Returns false if they cannot be read. */
bool trace_read_stats(struct trace *t, const struct trace_cpu *c, struct loss_stats *s);

/*
 * Writes and counts a loss; its source and CPU are set here. c: NULL for all CPUs. Returns 0, or -1
 * with *err.
 */
int trace_lose(struct trace *t, struct trace_cpu *c, struct trawl_loss loss,
	       struct trawl_error *err);

#endif
