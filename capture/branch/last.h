/* SPDX-License-Identifier: MIT */
/* The places of -i branch:last=N@PROBE. */
#ifndef TRAWL_CAPTURE_BRANCH_LAST_H
#define TRAWL_CAPTURE_BRANCH_LAST_H

#include "capture/branch/backend.h"
#include "capture/cli/spec.h"
#include "capture/probe/list.h"

struct branch_last {
	struct probe_list probes;
	struct branch_place *places; /* fd of each belongs to its probe */
	size_t n;
};

/* Adds the places of a spec with last=. Returns 0, or -1 with *err. */
int branch_last_add(struct branch_last *l, const struct spec *spec, struct trawl_error *err);
void branch_last_free(struct branch_last *l);

#endif
