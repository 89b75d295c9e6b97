/* SPDX-License-Identifier: MIT */
/*
 * How many events a ring buffer lost, exactly.
 *
 * Two witnesses: the flags of sub-buffers, which say where in the stream of a CPU events are
 * missing and mostly how many, and per_cpu/cpuN/stats, which has the true totals. The flags date
 * the losses while we drain; at the end the stats supply what no flag told of.
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
 * What the stats have beyond `flagged`, the losses that flags told of: up to three losses in out,
 * of overrun, dropped, commit overrun. Returns how many; their source, cpu, from and to are the
 * caller's to fill.
 */
size_t loss_remainder(const struct loss_stats *s, uint64_t flagged, struct trawl_loss out[3]);

#endif
