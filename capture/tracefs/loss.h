/* SPDX-License-Identifier: MIT */
/*
 * How many events a ring buffer lost, exactly.
 *
 * There are two sources. The flags of sub-buffers say where in a CPU's stream events are missing,
 * and mostly how many; they give losses their times during the capture. per_cpu/cpuN/stats has the
 * true totals; at the end they supply the losses without a flag.
 */
#ifndef TRAWL_CAPTURE_TRACEFS_LOSS_H
#define TRAWL_CAPTURE_TRACEFS_LOSS_H

#include "format/trawl.h"

/* per_cpu/cpuN/stats, since the buffer was made. */
struct loss_stats {
	uint64_t entries, overrun, commit_overrun, dropped, read;
};

/* Parses the text of a stats file; false if a line is missing. */
bool loss_stats_parse(const char *text, struct loss_stats *s);

/*
 * Fills `out` with what the stats have beyond `flagged`, the losses that flags counted: one each of
 * overrun, dropped and commit overrun. Returns how many. The caller fills in source, cpu, from and
 * to.
 */
size_t loss_remainder(const struct loss_stats *s, uint64_t flagged, struct trawl_loss out[3]);

#endif
