/* SPDX-License-Identifier: MIT */
/* The sites of -i branch:last=N@PROBE. */
#ifndef TRAWL_CAPTURE_BRANCH_LAST_H
#define TRAWL_CAPTURE_BRANCH_LAST_H

#include "capture/branch/backend.h"
#include "capture/cli/spec.h"
#include "capture/probe/list.h"

/* Zero-initialised. */
struct branch_last {
	struct probe_list probes;
	struct branch_site *sites; /* fd of each belongs to its probe */
	size_t n;
};

/* Adds the sites of a spec with last=. Returns 0, or -1 with *err: those added before stay. */
int branch_last_add(struct branch_last *l, const struct spec *spec, struct trawl_error *err);
void branch_last_free(struct branch_last *l);

#endif
