/* SPDX-License-Identifier: MIT */
/*
 * The names that tasks had at chosen events. A cut leaves out events that tell names
 * (sched_switch): a task that ended before the recorder saw it has no other source of its name.
 */
#ifndef TRAWL_EDIT_TASKNAMES_H
#define TRAWL_EDIT_TASKNAMES_H

#include "decode/base/decoder.h"

struct task_name {
	uint32_t section;
	int32_t tid, pid; /* pid -1: not known of this task's first event */
	uint64_t time;    /* of the first event with this name, ns on the timeline */
	/*
	 * The task had no name at its first event: a later one would become the name of that event,
	 * too (docs/format.md, Tasks).
	 */
	bool late;
	char comm[16];
};

struct task_names { /* all zero: empty */
	struct task_name *list; /* in the order of events */
	size_t n;
	uint32_t *slots; /* hash table by section and tid: 1 + number of the task's newest name */
	size_t nslots, ntasks;
	bool failed; /* memory ran out */
};

/* Adds the task of an event, unless it has the name already. */
void task_names_add(struct task_names *t, uint32_t section, const struct item *it);
void task_names_free(struct task_names *t);

#endif
