/* SPDX-License-Identifier: GPL-2.0-only */
/* A task that is traced: what there is of it. task.h has what is done with it. */
#ifndef KMOD_TRACED_H
#define KMOD_TRACED_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include "kmod/insn.h"

/*
 * What is known of a task's next instruction. Only the task itself changes it, and
 * the scheduler that switches to it; but for `wanted`.
 */
struct step {
	u64 ip, flags, cx, ax;		/* registers before the next instruction */
	struct insn insn;		/* that instruction */
	bool decoded;			/* its bytes could be read */
	bool unprepared;		/* a child whose attachments lack what needs sleeping */
	bool wanted;			/* somebody records steps; under tasks_lock */
	bool armed;			/* the trap flag in its flags is ours */
	bool own;			/* the program has set the trap flag itself */
	bool replaced;			/* exec has been done */
	bool probing;			/* a breakpoint is being handled */
	bool ptraced;			/* it had a debugger when it last ran */
	bool blocks;			/* that steps over blocks */
	bool lbr_off;			/* a debug exception has switched the branch records off */
	int signal;			/* that is being delivered */
	u64 moved_from;			/* a debugger changed ip; otherwise 0 */
	u32 count;			/* of steps */
	struct callback_head work;
	atomic_t queued;
};

struct traced {
	struct hlist_node node;
	struct task_struct *task;	/* compared, and never looked into after its exit */
	struct rcu_head rcu;
	refcount_t refs;
	struct list_head attachments;	/* RCU; those that record */
	struct step step;
	bool hashed;
};

static inline void traced_get(struct traced *traced)
{
	refcount_inc(&traced->refs);
}

static inline void traced_put(struct traced *traced)
{
	if (refcount_dec_and_test(&traced->refs))
		kfree_rcu(traced, rcu);
}

#endif
