/* SPDX-License-Identifier: MIT */
/*
 * The initial tasks: those that existed when the capture began. No event has their names. Where one
 * ends or renames itself before it is looked up, only this table has its former name.
 */
#ifndef TRAWL_CAPTURE_TASK_INITIAL_H
#define TRAWL_CAPTURE_TASK_INITIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct initial_task {
	pid_t tid, pid;
	char comm[16];
	bool written; /* the caller's: the file has its former name */
};

struct initial_tasks {
	struct initial_task *tasks; /* by TID */
	size_t n;
	bool incomplete; /* there was no memory for some */
	uint64_t time; /* when all had been read; CLOCK_MONOTONIC, ns */
};

/*
 * Reads /proc. Tasks that cannot be read, or that memory has no room for, are left out:
 * the first have ended; for the others `incomplete` is set.
 */
void initial_tasks_take(struct initial_tasks *c);
void initial_tasks_free(struct initial_tasks *c);

/* Returns the task, valid until initial_tasks_free(), or NULL. */
struct initial_task *initial_tasks_find(const struct initial_tasks *c, pid_t tid);

#endif
