/* SPDX-License-Identifier: GPL-2.0-only */
/* What a session in form LBR has of a task at this moment. */
#ifndef KMOD_LASTBRANCHES_H
#define KMOD_LASTBRANCHES_H

#include <linux/sched.h>
#include "kmod/trawl_uapi.h"

struct session;

#define LAST_BRANCHES_MAX	1024
/* An LBR is read whole before it is cut. */
#define LAST_BRANCHES_ROOM	64

/*
 * last_branches() - copies the last `last` branches of a task, oldest first, into `records`, which
 * has room for LAST_BRANCHES_ROOM at least. Returns how many: -ENOENT where the session doesn't
 * record the task in form LBR, 0 where last is 0, -EBUSY where the LBR isn't the task's now, or the
 * task isn't the current one. Without sleeping.
 */
int last_branches(struct session *session, struct task_struct *task, struct trawl_record *records,
		  u32 last);

#endif
