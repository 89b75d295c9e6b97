/* SPDX-License-Identifier: GPL-2.0-only */
/* The last branches that a session in form LBR has of a task at this moment. */
#ifndef TRAWL_KMOD_LASTBRANCHES_H
#define TRAWL_KMOD_LASTBRANCHES_H

#include <linux/sched.h>
#include "kmod/trawl_uapi.h"

struct session;

#define LAST_BRANCHES_MAX	1024
/* All entries of an LBR are read before the newest are chosen, so this many must fit. */
#define LAST_BRANCHES_ROOM	64

/*
 * last_branches() - copies the last `last` branches of a task, oldest first, into `records`, which
 * has room for at least LAST_BRANCHES_ROOM. Returns how many, 0 if `last` is 0; -ENOENT where the
 * session does not record the task in form LBR; -EBUSY where the LBR holds another task's branches,
 * nothing was kept for lack of memory, or the task is not the current one. Does not sleep.
 */
int last_branches(struct session *session, struct task_struct *task, struct trawl_branch *records,
		  u32 last);

#endif
