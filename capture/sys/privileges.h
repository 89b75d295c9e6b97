/* SPDX-License-Identifier: MIT */
/* What the recorder gives up when everything is armed: docs/security.md has the table. */
#ifndef TRAWL_CAPTURE_SYS_PRIVILEGES_H
#define TRAWL_CAPTURE_SYS_PRIVILEGES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "capture/sys/callfilter.h"
#include "format/trawl.h"

/* What is still to be done. */
struct privileges_kept {
	bool user;   /* files are another user's, as whom they are made; and COMMAND, which gets
		      * signals */
	bool traces; /* a source calls ptrace() or perf_event_open() while it runs */
	pid_t command; /* it gets signals; 0: none */
	const int *folders; /* where files are made, changed and removed: tracefs, the outputs'
			     * folder */
	size_t nfolders;
};

/*
 * For all threads and for ever: no new privileges; of the capabilities those alone that draining
 * and cleaning up take; a filter of system calls (callfilter.h). What was started before
 * keeps its own. 0, or -1 with *err.
 */
int privileges_drop(const struct privileges_kept *kept, struct trawl_error *err);

#endif
