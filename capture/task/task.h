/* SPDX-License-Identifier: MIT */
/*
 * What the file knows of the tasks in it: metadata "task/TID" (name, process, program; of those
 * that are recorded the command line, too) on first sight of a TID, and "maps/PID"
 * (/proc/PID/maps) of processes that hit a user probe or are named by -p, COMMAND or usdt:pid=. Of
 * others, whose kernel events are in the file, the maps are nobody's business.
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
	pid_t *fresh;    /* seen, and not yet looked up; -TID: only its maps are missing */
	size_t nfresh, room;
	bool want_maps;
	struct task_maps {
		pid_t pid;
		uint64_t hash; /* of the maps as written last */
	} maps[TASK_MAPS_MAX];
	size_t nmaps;
	struct initial_tasks initial;
	const pid_t *pids;     /* the scope, the session's; npids 0: the whole machine */
	size_t npids;
	const struct task_filter *followed; /* and all that they start */
};

int tasks_init(struct tasks *t, struct trawl_error *err);
void tasks_done(struct tasks *t);

void tasks_first_seen(struct tasks *t, pid_t tid);

/* An event of this task was captured. Called for every event. */
static inline void tasks_saw(struct tasks *t, pid_t tid)
{
	if ((uint32_t)tid < t->max && !(t->seen[tid / 64] >> (tid % 64) & 1))
		tasks_first_seen(t, tid);
}

/* Its first hit of a user probe. */
void tasks_first_probed(struct tasks *t, pid_t tid);

/* A user probe was hit by this task. Called for every hit. */
static inline void tasks_hit(struct tasks *t, pid_t tid)
{
	if ((uint32_t)tid < t->max && !(t->probed[tid / 64] >> (tid % 64) & 1))
		tasks_first_probed(t, tid);
}

/* All threads of a process that the user names, which may be gone before its first event is seen. */
void tasks_saw_process(struct tasks *t, pid_t pid);

/* The TID belongs to another task from now on, or to another program: look it up again. */
void tasks_forget(struct tasks *t, pid_t tid);

/* All of them are looked up again at their next event. */
void tasks_forget_all(struct tasks *t);

/* Looks up the fresh ones in /proc and writes what is there of them. Call it after a drain. */
int tasks_flush(struct tasks *t, struct trawl_writer *w, struct trawl_error *err);

/* Writes the maps that changed since they were written last. */
int tasks_refresh(struct tasks *t, struct trawl_writer *w, struct trawl_error *err);

#endif
