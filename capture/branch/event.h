/* SPDX-License-Identifier: MIT */
/* The events of back ends: branches, and the tasks and mappings that are needed to read them. */
#ifndef TRAWL_CAPTURE_BRANCH_EVENT_H
#define TRAWL_CAPTURE_BRANCH_EVENT_H

#include <sys/types.h>
#include "common/branch.h"

enum branch_event_kind {
	BRANCH_EVENT_BRANCH,
	BRANCH_EVENT_MARK,  /* mark, count: something between two branches */
	BRANCH_EVENT_TASK,  /* recording of a task begins: tid, pid, parent */
	BRANCH_EVENT_EXEC,  /* the task has called exec */
	BRANCH_EVENT_NAME,  /* the task has another name */
	BRANCH_EVENT_MAPS,  /* its process's executable mappings: maps, which the back end frees
			     * after sink.event() */
	BRANCH_EVENT_LAST,  /* a place was hit: last, valid during sink.event() */
	BRANCH_EVENT_CAME,  /* the task has come to a CPU: what is collected next of it happened
			     * after that */
	BRANCH_EVENT_LEFT,  /* the task has left its CPU, or ended; its branches are collected */
	BRANCH_EVENT_EXIT,  /* tid has ended, of process pid; status as of waitpid(), -1: not
			     * reaped by the back end */
};

/* The last branches before a place. */
struct branch_last_stack {
	uint64_t address;            /* of the place */
	const struct branch *branches; /* the oldest first */
	size_t n;
	bool unknown;                /* some of the branches are missing, at unknown positions */
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
		struct { /* TASK, EXEC, NAME */
			const char *name; /* valid during sink.event(), or NULL */
			pid_t parent;     /* TASK: if name is NULL, the TID whose name it has */
		};
	};
	pid_t tid, pid;
	enum branch_event_kind kind;
	bool collected; /* time is when the branch or mark was collected: it happened at or before
			 * that, and after the previous collection and the last BRANCH_EVENT_CAME */
};

#endif
