/* SPDX-License-Identifier: MIT */
/* The table of back ends: to add one is to add a file and a line. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "capture/branch/backend.h"
#include "common/nearest.h"

extern const struct branch_backend perf_bts_backend, perf_lbr_backend, intel_bts_backend,
	kmod_step_backend, ptrace_backend;

const struct branch_backend *const branch_backends[] = {
	&perf_bts_backend,
	&intel_bts_backend,
	&kmod_step_backend,
	&perf_lbr_backend,
	&ptrace_backend,
	NULL,
};

/* The best of those that have all branches; why none is usable is the last one's. */
static const struct branch_backend *best(struct trawl_error *err)
{
	for (size_t i = 0; branch_backends[i]; i++) {
		if (!branch_backends[i]->partial && !branch_backends[i]->usable(err))
			return branch_backends[i];
	}
	return NULL;
}

const struct branch_backend *branch_backend_find(const char *name, struct trawl_error *err)
{
	struct nearest near = { .wanted = name };
	char hint[512];

	if (!*name)
		return best(err);
	for (size_t i = 0; branch_backends[i]; i++) {
		if (strcmp(branch_backends[i]->name, name)) {
			nearest_offer(&near, branch_backends[i]->name);
			continue;
		}
		nearest_free(&near);
		return branch_backends[i]->usable(err) ? NULL : branch_backends[i];
	}
	trawl_fail(err, TRAWL_USAGE, "-i branch:%s: no such way to record branches%s", name,
		   near.count ? nearest_hint(&near, hint, sizeof(hint)) : "; trawl -D lists all");
	nearest_free(&near);
	return NULL;
}
