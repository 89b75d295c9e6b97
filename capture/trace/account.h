/* SPDX-License-Identifier: MIT */
/* Losses of a recording: the kernel's counters, and the losses in the file. */
#ifndef TRAWL_CAPTURE_TRACE_ACCOUNT_H
#define TRAWL_CAPTURE_TRACE_ACCOUNT_H

#include "capture/trace/state.h"

/* Reads the kernel's counters of one CPU. Returns false if they cannot be read. */
bool trace_read_stats(struct trace *t, const struct trace_cpu *c, struct loss_stats *s);

/* Writes and counts a loss between two times of CLOCK_MONOTONIC, ns. c: NULL for all CPUs. count:
 * UINT64_MAX if not known. Returns 0, or -1 with *err. */
int trace_lose(struct trace *t, struct trace_cpu *c, uint64_t from, uint64_t to, uint64_t count,
	       uint32_t reason, struct trawl_error *err);

#endif
