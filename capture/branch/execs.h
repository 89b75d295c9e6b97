/* SPDX-License-Identifier: MIT */
/*
 * Tasks that have executed a program, and whose next branches may be of the program before: neither
 * perf nor the processor empties its buffers at an exec.
 */
#ifndef TRAWL_CAPTURE_BRANCH_EXECS_H
#define TRAWL_CAPTURE_BRANCH_EXECS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "capture/branch/perfmaps.h"
#include "common/branch.h"

struct execs {
	pid_t command; /* whose first exec is where its recording begins; 0: none */
	pid_t *tids;
	size_t n;
	struct perf_map *before; /* what these tasks had mapped */
};

/* Takes any record of perf, before it changes `maps`. */
void execs_note(struct execs *x, const struct perf_map *maps, const struct perf_event_header *h);
/* Whether these are the first branches of the task since an exec. */
bool execs_pending(const struct execs *x, pid_t tid);
/*
 * Ends that, and returns how many of the n branches, the first ones, may be of the program before:
 * those up to the last one that is not in `maps`, and those after it that are also in the maps
 * before.
 */
size_t execs_end(struct execs *x, const struct perf_map *maps, pid_t tid, const struct branch *b,
		 size_t n);
void execs_free(struct execs *x);

#endif
