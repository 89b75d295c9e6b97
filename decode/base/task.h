/* SPDX-License-Identifier: MIT */
/*
 * The name and process of a thread id at the time of an event.
 *
 * They come from metadata "task/TID" (the contents of /proc when the capture first saw the task)
 * and from the events of the hidden task source (newtask, rename, exec, exit) and sched_switch, all
 * applied in time order. A task that is not known yet gets the first name that the file has of it
 * later.
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

/* Keeps the reader, whose metadata names the tasks. NULL: out of memory. */
struct tasks *tasks_new(struct trawl_reader *reader);
void tasks_free(struct tasks *t);

/*
 * Applies the metadata up to the time `now` (CLOCK_MONOTONIC ns), and changes to a section of the
 * file. If it is of another boot, all tasks are forgotten.
 */
void tasks_advance(struct tasks *t, uint32_t section, uint64_t now);

/*
 * Applies a piece of metadata "task/TID" at once, for a live capture: it is not stored, so that
 * memory is limited by the number of tasks at a time.
 */
void tasks_apply_meta(struct tasks *t, const struct trawl_meta *m);

/* Returns whether events of this type, which are not of the task source, have names of tasks. */
bool task_event_names(const char *type);

/*
 * Applies an event of the task source, or one for whose type task_event_names() returns true.
 * in: the task in which it happened.
 */
void tasks_event(struct tasks *t, const struct trawl_event *ev, int32_t in);

/*
 * Returns a task, never NULL; valid until the next call of a function here. cpu: for the name of
 * the idle task, tid 0.
 */
const struct task *tasks_find(struct tasks *t, int32_t tid, uint32_t cpu);

#endif
