/* SPDX-License-Identifier: MIT */
#ifndef TRAWL_CAPTURE_BRANCH_LBRCHECK_H
#define TRAWL_CAPTURE_BRANCH_LBRCHECK_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "format/trawl.h"

/*
 * Records a known loop in this thread with branch stacks of these attributes. Returns 0 if they
 * have the loop's branches and no impossible ones; -1 with *err, which says why they cannot be
 * used.
 */
int lbr_check(const struct perf_event_attr *attr, struct trawl_error *err);

/*
 * Whether the processor's records have only 48 bits of a target (LBR format 6: Goldmont). cpuinfo:
 * the path of /proc/cpuinfo, or a test's.
 */
bool lbr_cuts_targets(const char *cpuinfo);

#endif
