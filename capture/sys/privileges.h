/* SPDX-License-Identifier: MIT */
/* Drops the recorder's privileges once everything is armed; docs/security.md has the table. */
#ifndef TRAWL_CAPTURE_SYS_PRIVILEGES_H
#define TRAWL_CAPTURE_SYS_PRIVILEGES_H

#include <stddef.h>

#include "capture/sys/callfilter.h"
#include "format/trawl.h"

/* What the recorder still does, and so needs privileges for. */
struct privileges_kept {
	struct callfilter calls; /* its system calls */
	const int *folders; /* where it makes, changes and removes files: tracefs, the folder of
			     * the outputs; -1: none */
	size_t nfolders;
	bool events;        /* it opens events of perf on other tasks */
};

/*
 * Drops privileges of all threads of this process, for ever: no new ones can be gained, only the
 * capabilities that draining and cleaning up need remain, and system calls are filtered
 * (callfilter.h). Processes that were started before keep theirs. Returns 0, or -1 with *err.
 */
int privileges_drop(const struct privileges_kept *kept, struct trawl_error *err);

#endif
