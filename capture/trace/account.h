/* SPDX-License-Identifier: MIT */
/* What a recording lost: the kernel's counters, and losses told to the file. */
#ifndef TRAWL_CAPTURE_TRACE_ACCOUNT_H
#define TRAWL_CAPTURE_TRACE_ACCOUNT_H

#include "capture/trace/state.h"

/* The kernel's counters of one CPU; false when they cannot be read. */
bool trace_read_stats(struct trace *t, const struct trace_cpu *c, struct loss_stats *s);

/* Events lost between two times of CLOCK_MONOTONIC; c: NULL for all CPUs; count: UINT64_MAX if not
 * known. 0, or -1 with *err. */
int trace_lose(struct trace *t, struct trace_cpu *c, uint64_t from, uint64_t to, uint64_t count,
	       uint32_t reason, struct trawl_error *err);

#endif
