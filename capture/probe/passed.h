/* SPDX-License-Identifier: MIT */
/* The matches of a spec that could not be probed with the user's ARGs, counted by reason. */
#ifndef TRAWL_CAPTURE_PROBE_PASSED_H
#define TRAWL_CAPTURE_PROBE_PASSED_H

#include "capture/probe/build.h"

/* Counts the function or probe of that name, which has failed with r->err. */
void passed_add(struct resolve *r, const char *name);

/*
 * If some matches were probed, adds a remark per reason why others were not and returns 0. If none
 * was, returns -1 with the first one's error in r->err.
 */
int passed_report(struct resolve *r);

void passed_free(struct resolve *r);

#endif
