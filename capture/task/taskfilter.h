/* SPDX-License-Identifier: MIT */
/*
 * The tasks that a capture follows: those of its scope and all that they start. The source "task"
 * tells of their starts and ends; a recorder that has the events of all tasks asks whose to keep.
 *
 * That is dearer than the kernel's own filter where others have events too, and cheaper where they
 * have none: the kernel's check is made at each event, in the program that is recorded.
 */
#ifndef TRAWL_CAPTURE_TASK_TASKFILTER_H
#define TRAWL_CAPTURE_TASK_TASKFILTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A TID as one of them. Times are CLOCK_MONOTONIC, ns. What is told of it may come in any order. */
struct task_filter_life {
	uint64_t until; /* it ended then; UINT64_MAX: it lives; 0: never one of them */
	uint64_t begun; /* the newest start that was told of; 0: none */
};

struct task_filter {
	struct task_filter_life *lives; /* by TID; pages that nobody writes to take no memory */
	uint32_t max, top;      /* TIDs are below max; those ever added below top */
	uint64_t known;         /* what happened until then is in the table */
	uint64_t unsure;        /* some of what happened until then was lost */
	uint64_t lost;          /* so many starts, ends and names were */
};

/* max: TIDs are below it. False: no memory. */
bool task_filter_init(struct task_filter *k, uint32_t max);
void task_filter_free(struct task_filter *k);

/* The task started, or took this TID in an execve(). */
void task_filter_begin(struct task_filter *k, pid_t tid, uint64_t time);
void task_filter_end(struct task_filter *k, pid_t tid, uint64_t time);

/* It lives or has just ended, says the kernel, if nothing else is known of it. */
void task_filter_found(struct task_filter *k, pid_t tid);

/* All others than these (a bit per TID) have ended by that time. */
void task_filter_keep(struct task_filter *k, const uint8_t *bits, uint64_t time);

/*
 * Was the task one of them at the time? Called for every event. Before its start it was, if at all,
 * another task of theirs: TIDs do not come again within the time that events wait to be read.
 */
static inline bool task_filter_has(const struct task_filter *k, pid_t tid, uint64_t time)
{
	return (uint32_t)tid < k->max && k->lives[tid].until >= time;
}

/* How many processes of them live on; one of these. Reads /proc. */
size_t task_filter_living(const struct task_filter *k, pid_t *one);

#endif
