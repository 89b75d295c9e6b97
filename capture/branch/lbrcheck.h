/* SPDX-License-Identifier: MIT */
#ifndef TRAWL_CAPTURE_BRANCH_LBRCHECK_H
#define TRAWL_CAPTURE_BRANCH_LBRCHECK_H

#include <linux/perf_event.h>

#include "format/trawl.h"

/*
 * Records a known loop in this thread with branch stacks of these attributes. Returns 0 if they
 * have the loop's branches and no impossible ones; -1 with *err, which says why they cannot be
 * used.
 */
int lbr_check(const struct perf_event_attr *attr, struct trawl_error *err);

#endif
