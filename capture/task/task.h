/* SPDX-License-Identifier: MIT */
/*
 * Metadata of tasks. "task/TID" has a task's name, process and program, and for tasks of the scope
 * the command line; it is written at the first event of a TID. "maps/PID" is /proc/PID/maps of
 * processes that hit a user probe or are named by -p, COMMAND or usdt:pid=. Maps of other processes
 * are private and not written.
 */
#ifndef TRAWL_CAPTURE_TASK_TASK_H
#define TRAWL_CAPTURE_TASK_TASK_H

#include <sys/types.h>
#include "capture/task/initial.h"
#include "capture/task/taskfilter.h"
#include "capture/source.h"

enum { TASK_MAPS_MAX = 256 }; /* processes whose maps are kept up to date */

struct tasks {
	uint64_t *seen;  /* a bit per TID */
	uint64_t *probed; /* a bit per TID: has hit a user probe, or is named by the user */
	uint32_t max;    /* TIDs are below this */
	pid_t *fresh;	 /* TIDs to look up; -TID: its maps only */
	size_t nfresh, room;
	bool want_maps;
	bool unknown; /* TIDs of events differ from those in this /proc (PID namespace): no task is
		       * looked up */
	struct task_maps {
		pid_t pid;
		uint64_t hash; /* hash of the maps that were last written */
	} maps[TASK_MAPS_MAX];
	size_t nmaps;
	struct initial_tasks initial;
	const pid_t *pids;     /* the scope, owned by the session; npids 0: the whole machine */
	size_t npids;
	const struct task_filter *followed; /* owned by the session */
};

int tasks_init(struct tasks *t, struct trawl_error *err);
/* Frees the contents. */
void tasks_done(struct tasks *t);

void tasks_first_seen(struct tasks *t, pid_t tid);

/* Records that an event of this task was captured. Called for every event. */
static inline void tasks_saw(struct tasks *t, pid_t tid)
{
	if ((uint32_t)tid < t->max && !(t->seen[tid / 64] >> (tid % 64) & 1))
		tasks_first_seen(t, tid);
}

/* Called by tasks_hit() for the first hit of a user probe. */
void tasks_first_probed(struct tasks *t, pid_t tid);

/* Records that this task hit a user probe. Called for every hit. */
static inline void tasks_hit(struct tasks *t, pid_t tid)
{
	if ((uint32_t)tid < t->max && !(t->probed[tid / 64] >> (tid % 64) & 1))
		tasks_first_probed(t, tid);
}

/*
 * Adds all threads of a process that the user named, which may end before its first event is
 * drained.
 */
void tasks_saw_process(struct tasks *t, pid_t pid);

/* Looks the TID up again at its next event: it belongs to another task or program by now. */
void tasks_forget(struct tasks *t, pid_t tid);

/* Looks all TIDs up again at their next events. */
void tasks_forget_all(struct tasks *t);

/*
 * Looks up the fresh tasks in /proc and writes their metadata. Call it after a drain. Returns 0 or
 * -1.
 */
int tasks_flush(struct tasks *t, struct trawl_writer *w, struct trawl_error *err);

/* Writes the name that a task has had since a time; /proc may not have the task any more. */
int tasks_name(const struct initial_task *task, uint64_t time, struct trawl_writer *w,
	       struct trawl_error *err);

/* Writes the maps that changed since they were written last. */
int tasks_refresh(struct tasks *t, struct trawl_writer *w, struct trawl_error *err);

#endif
