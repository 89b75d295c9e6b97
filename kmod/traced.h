/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of a traced task; task.h has the functions. */
#ifndef TRAWL_KMOD_TRACED_H
#define TRAWL_KMOD_TRACED_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include "kmod/insn.h"

/*
 * What is known of a task's next instruction. Only the task itself and the scheduler, when it
 * switches to the task, change it; `wanted` is the exception. The flags are no
 * states of one thing: they are of the program, its debugger, the module and the kernel.
 */
struct step {
	u64 ip, flags, cx, ax;		/* registers before the next instruction */
	struct insn insn;		/* that instruction */
	bool decoded;			/* insn is valid: the bytes could be read */
	bool unprepared;		/* a child whose attachments still need traced_prepare() */
	bool wanted;			/* an attachment records steps; under tasks_lock */
	bool armed;			/* the module has set the trap flag */
	bool own;			/* the program itself has set the trap flag */
	bool replaced;			/* the system call was an exec that succeeded */
	bool probing;			/* a breakpoint is being handled */
	bool ptraced;			/* it had a debugger when it last ran */
	bool blocks;			/* the debugger steps over blocks (BTF) */
	bool lbr_off;			/* a debug exception has switched the branch records off */
	int signal;			/* the signal that is being delivered, or 0 */
	u64 moved_from;			/* the ip that a debugger replaced, otherwise 0 */
	u64 vsyscall;			/* the vsyscall that may have returned to ip, otherwise 0 */
	u32 count;			/* number of steps */
	struct callback_head work;
	atomic_t queued;
};

struct traced {
	struct hlist_node node;
	struct task_struct *task;	/* compared only: may be freed after its exit */
	struct rcu_head rcu;
	refcount_t refs;
	struct list_head attachments;	/* RCU; the attachments that record */
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
