/* SPDX-License-Identifier: MIT */
/*
 * The initial tasks: those that existed when the capture began. No event has their names. A task
 * that ends or renames itself before it is looked up has its former name only here.
 */
#ifndef TRAWL_CAPTURE_TASK_INITIAL_H
#define TRAWL_CAPTURE_TASK_INITIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct initial_tasks_task {
	pid_t tid, pid;
	char comm[16];
	bool told; /* the caller's: the file knows */
};

struct initial_tasks {
	struct initial_tasks_task *tasks; /* by TID */
	size_t n;
	uint64_t time; /* it was taken before this, CLOCK_MONOTONIC, ns */
};

/* Asks /proc. What cannot be read, or memory has no room for, is not in it. */
void initial_tasks_take(struct initial_tasks *c);
void initial_tasks_free(struct initial_tasks *c);

/* NULL: not one of them. */
struct initial_tasks_task *initial_tasks_find(const struct initial_tasks *c, pid_t tid);

#endif
