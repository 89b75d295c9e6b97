/* SPDX-License-Identifier: MIT */
/*
 * Counts the events that a ring buffer lost, from two sources. Flags of sub-buffers show where in a
 * CPU's stream events are missing, and in most cases how many: they give losses their times.
 * per_cpu/cpuN/stats has the totals: at the end they give the losses without a flag.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_LOSS_H
#define TRAWL_CAPTURE_TRACEFS_LOSS_H

#include "format/trawl.h"

/* The counters in per_cpu/cpuN/stats, since the buffer was made. */
struct loss_stats {
	uint64_t entries, overrun, commit_overrun, dropped, read;
};

/* Parses the text of a stats file. Returns false if a line is missing. */
bool loss_stats_parse(const char *text, struct loss_stats *s);

/*
 * Fills `out` with the losses in the counters beyond `flagged`, those counted by flags: at most one
 * each of overrun, dropped and commit overrun. Returns how many. The caller sets source, cpu, from
 * and to.
 */
size_t loss_remainder(const struct loss_stats *s, uint64_t flagged, struct trawl_loss out[3]);

#endif
