/* SPDX-License-Identifier: MIT */
/* The losses that are known only when a recording has ended. */
#ifndef TRAWL_CAPTURE_TRACE_FINALLOSSES_H
#define TRAWL_CAPTURE_TRACE_FINALLOSSES_H

#include "capture/trace/state.h"

/*
 * Writes the losses that are in the kernel's counters but in no flag, and those of missing hits:
 * hits that are neither captured nor lost.
 */
void trace_final_losses(struct trace *t);

#endif
