/* SPDX-License-Identifier: MIT */
/*
 * New tasks, as soon as perf reports them: for what has to be opened on each of them. The records
 * of the rings with the branches wait for those of other CPUs, and wake the recorder late.
 */
#ifndef TRAWL_CAPTURE_BRANCH_FORKS_H
#define TRAWL_CAPTURE_BRANCH_FORKS_H

#include "capture/branch/perfring.h"

struct forks {
	struct perf_ring ring;
};

/*
 * Reports the tasks that those of the scope, and their descendants, create; for a COMMAND from its
 * exec on, else after forks_enable(). If that cannot be opened, or takes more than half of the
 * files that may be open, no task is reported. Call it after all that the recording needs is open.
 */
void forks_open(struct forks *f, const struct branch_scope *scope);
/* Begins. Returns 0, or -1 with *err. */
int forks_enable(struct forks *f, struct trawl_error *err);
/* Closes what forks_open() opened, if anything. */
void forks_close(struct forks *f);
/* Stores what poll() has to wait for. Returns the number stored. */
size_t forks_fds(const struct forks *f, struct pollfd *fds, size_t room);
/* Calls fn for each task created since the last call. Returns 0, or -1 with *err. */
int forks_each(struct forks *f, void (*fn)(void *arg, pid_t pid, pid_t tid), void *arg,
	       struct trawl_error *err);

#endif
