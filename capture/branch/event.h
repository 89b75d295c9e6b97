/* SPDX-License-Identifier: MIT */
/* The events of back ends: branches, and what a reader must know of their tasks. */
#ifndef TRAWL_CAPTURE_BRANCH_EVENT_H
#define TRAWL_CAPTURE_BRANCH_EVENT_H

#include <sys/types.h>
#include "common/branch.h"

enum branch_event_kind {
	BRANCH_EVENT_BRANCH,
	BRANCH_EVENT_MARK,  /* mark, count: something between two branches */
	BRANCH_EVENT_TASK,  /* recording of a task begins: tid, pid; /proc has it still */
	BRANCH_EVENT_EXEC,  /* the task runs another program now */
	BRANCH_EVENT_MAPS,  /* its process's executable mappings: maps, which the back end frees
			     * after sink.event() */
	BRANCH_EVENT_LAST,  /* a place was hit: last, valid during sink.event() */
	BRANCH_EVENT_EXIT,  /* status, as of waitpid(), if it was reaped; -1: it was not */
};

/* The last branches before a place. */
struct branch_last_stack {
	uint64_t address;            /* of the place */
	const struct branch *branches; /* the oldest first */
	size_t n;
	bool unknown;                /* some are missing, it is not known which */
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
	bool collected; /* a branch or mark happened at or before `time`, and after what was
			 * collected before */
};

#endif
