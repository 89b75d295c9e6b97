/* SPDX-License-Identifier: MIT */
/* The table of back ends: to add one is to add a file and a line. */
#include "config.h"

#include <string.h>

#include "capture/branch/backend.h"
#include "common/nearest.h"

const struct branch_backend *const branch_backends[] = {
	&perf_bts_backend,
	&intel_bts_backend,
	&kmod_lbr_backend,
	&kmod_step_backend,
	&perf_lbr_backend,
	&perf_joined_backend,
	&ptrace_backend,
	NULL,
};

/* Returns the first usable one; if none is, *err is that of the last one. */
static const struct branch_backend *best(bool sites, struct trawl_error *err)
{
	for (size_t i = 0; branch_backends[i]; i++) {
		const struct branch_backend *b = branch_backends[i];

		if ((sites ? b->at_sites : !b->partial) && !b->usable(err))
			return b;
	}
	return NULL;
}

static const struct branch_backend *named(const struct branch_backend *b, bool sites,
					  struct trawl_error *err)
{
	if (sites && !b->at_sites) {
		trawl_fail(err, TRAWL_USAGE,
			   "-i branch:%s:last=: this back end records no branches before a probe: "
			   "use kmod-lbr or kmod-step",
			   b->name);
		return NULL;
	}
	return b->usable(err) ? NULL : b;
}

const struct branch_backend *branch_backend_find(const char *name, bool sites,
						 struct trawl_error *err)
{
	struct nearest near = { .wanted = name };
	char hint[512];

	if (!*name)
		return best(sites, err);
	for (size_t i = 0; branch_backends[i]; i++) {
		if (strcmp(branch_backends[i]->name, name)) {
			nearest_offer(&near, branch_backends[i]->name);
			continue;
		}
		nearest_free(&near);
		return named(branch_backends[i], sites, err);
	}
	trawl_fail(err, TRAWL_USAGE, "-i branch:%s: no such back end%s", name,
		   near.count ? nearest_hint(&near, hint, sizeof(hint)) : "; trawl -D lists all");
	nearest_free(&near);
	return NULL;
}
