/* SPDX-License-Identifier: MIT */
/* What back ends tell of: branches, and what is to be known of tasks to read them. */
#ifndef TRAWL_CAPTURE_BRANCH_EVENT_H
#define TRAWL_CAPTURE_BRANCH_EVENT_H

#include <sys/types.h>
#include "common/branch.h"

enum branch_event_kind {
	BRANCH_EVENT_BRANCH,
	BRANCH_EVENT_MARK,  /* mark, count: something between two branches */
	BRANCH_EVENT_TASK,  /* recording of a task begins: tid, pid; it is there to be asked */
	BRANCH_EVENT_EXEC,  /* it is another program now */
	BRANCH_EVENT_MAPS,  /* what its process has mapped to be run: maps, which the reader
			     * frees */
	BRANCH_EVENT_LAST,  /* a place was hit: last, for the time of the call */
	BRANCH_EVENT_EXIT,  /* status, as of waitpid(), if it was collected; -1: it was not */
};

/* What led to a place. */
struct branch_last_stack {
	uint64_t address;            /* of the place */
	const struct branch *branches; /* the oldest first */
	size_t n;
	bool unknown;                /* somebody else had the processor's branch records */
};

struct branch_event {
	uint64_t time; /* CLOCK_MONOTONIC */
	union {
		struct branch branch;
		struct {
			enum branch_mark_kind mark;
			uint64_t count;
		};
		char *maps; /* executable lines of /proc/PID/maps */
		const struct branch_last_stack *last;
		int status;
	};
	pid_t tid, pid;
	enum branch_event_kind kind;
	bool collected; /* of branches and marks: not later than time, and after what was
			 * collected before */
};

#endif
