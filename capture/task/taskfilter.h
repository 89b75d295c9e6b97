/* SPDX-License-Identifier: MIT */
/*
 * The followed tasks: those of the scope and all that they start. The source "task" records their
 * starts and ends. A recording without the kernel's filter by task keeps the events of followed
 * tasks.
 *
 * The kernel's filter takes time at each event, in the recorded program. This one takes time in the
 * recorder, at each event of other tasks, too.
 */
#ifndef TRAWL_CAPTURE_TASK_TASKFILTER_H
#define TRAWL_CAPTURE_TASK_TASKFILTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * When a TID was a followed task. Times are ns of CLOCK_MONOTONIC. Starts and ends may arrive in
 * any order.
 */
struct task_filter_life {
	uint64_t until; /* when it ended; UINT64_MAX: it lives; 0: it was never followed */
	uint64_t begun; /* the newest start that arrived; 0: none */
};

struct task_filter {
	struct task_filter_life *lives; /* by TID; pages that nobody writes to take no memory */
	uint32_t max, top;      /* TIDs are below max; those ever added below top */
	uint64_t known;		/* the table has all starts and ends up to this time */
	uint64_t unsure;	/* some starts and ends up to this time were lost */
	uint64_t lost;		/* how many starts, ends and names were lost */
};

/* max: TIDs are below it. False: no memory. */
bool task_filter_init(struct task_filter *k, uint32_t max);
void task_filter_free(struct task_filter *k);

/* Records that a followed task started, or took this TID in an execve(). */
void task_filter_begin(struct task_filter *k, pid_t tid, uint64_t time);
void task_filter_end(struct task_filter *k, pid_t tid, uint64_t time);

/* Records that the kernel lists the task. Changes nothing if a start or end of it arrived. */
void task_filter_found(struct task_filter *k, pid_t tid);

/* Ends all tasks except these (a bit per TID) at that time. */
void task_filter_keep(struct task_filter *k, const uint8_t *bits, uint64_t time);

/*
 * Returns whether the task was followed at the time. Called for every event. A time before the
 * task's start counts, too: TIDs are not reused within the time that events wait to be read.
 */
static inline bool task_filter_has(const struct task_filter *k, pid_t tid, uint64_t time)
{
	return (uint32_t)tid < k->max && k->lives[tid].until >= time;
}

/* Returns how many followed processes live, and one of them. Reads /proc. */
size_t task_filter_living(const struct task_filter *k, pid_t *one);

#endif
