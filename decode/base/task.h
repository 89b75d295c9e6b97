/* SPDX-License-Identifier: MIT */
/*
 * Tasks: what a thread id is called and to which process it belongs, at the time of an event.
 *
 * Two things tell: the metadata "task/TID" (what /proc said when the capture first saw the task)
 * and the events of the hidden task source (newtask, rename, exec, exit). Both are applied in
 * order of time. A task that nothing has told of yet takes what the file says later of it.
 */
#ifndef TRAWL_DECODE_BASE_TASK_H
#define TRAWL_DECODE_BASE_TASK_H

#include "format/trawl.h"

struct task {
	int32_t tid;
	int32_t pid;       /* thread group; -1: not known */
	uint8_t comm_len;
	bool named;        /* comm is known */
	char comm[16];     /* NUL-terminated */
};

struct tasks;

struct tasks *tasks_new(struct trawl_reader *reader);
void tasks_free(struct tasks *t);

/*
 * Brings the table up to the time `now` (CLOCK_MONOTONIC ns) with the metadata read by then. What
 * comes next is of this section of the file: of another boot than the one before, nothing is known.
 */
void tasks_advance(struct tasks *t, uint32_t section, uint64_t now);

/*
 * Takes a "task/TID" at once, for one who follows a capture: it is not kept for later, so that
 * memory stays in proportion to the tasks that there are at a time.
 */
void tasks_tell(struct tasks *t, const struct trawl_meta *m);

/* An event of the task source, or any with such a name and fields; it happened in task `in`. */
void tasks_event(struct tasks *t, const struct trawl_event *ev, int32_t in);

/* The task; never NULL. cpu names the idle task. Lives until the next call of any of these. */
const struct task *tasks_find(struct tasks *t, int32_t tid, uint32_t cpu);

#endif
