/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between kernels, 6.1 and newer. Nothing else in the module looks at the version. */
#ifndef TRAWL_KMOD_COMPAT_H
#define TRAWL_KMOD_COMPAT_H

#include <linux/sched/coredump.h>
#include <linux/sched/task.h>
#include <linux/uprobes.h>
#include <linux/version.h>
#include <asm/msr.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#include <asm/cpuid/api.h>
#endif
#ifndef SUID_DUMP_USER
#include <linux/sched/exec_state.h>
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "trawl.ko needs Linux 6.1 or newer"
#endif

/* The tracepoint sched_process_exit got an argument: whether the whole process ends. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define COMPAT_EXIT_ARGUMENTS void *data, struct task_struct *task, bool group_dead
#else
#define COMPAT_EXIT_ARGUMENTS void *data, struct task_struct *task
#endif

/*
 * compat_dumpable() - whether the task is dumpable, so that a process of the same user may trace
 * it. Newer kernels keep that in the task instead of its memory, and do not export the function
 * that reads it.
 */
#ifdef SUID_DUMP_USER
static inline bool compat_dumpable(struct task_struct *task)
{
	bool is = false;

	task_lock(task);
	if (task->mm)
		is = get_dumpable(task->mm) == SUID_DUMP_USER;
	task_unlock(task);
	return is;
}
#else
static inline bool compat_dumpable(struct task_struct *task)
{
	struct task_exec_state *state;
	bool is;

	rcu_read_lock();
	state = rcu_dereference(task->exec_state);
	is = state && READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER;
	rcu_read_unlock();
	return is;
}
#endif

/* rdmsrl_safe() and wrmsrl_safe() were renamed to rdmsrq_safe() and wrmsrq_safe(). */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define compat_rdmsr_safe(msr, value) rdmsrq_safe(msr, value)
#define compat_wrmsr_safe(msr, value) wrmsrq_safe(msr, value)
#else
#define compat_rdmsr_safe(msr, value) rdmsrl_safe(msr, value)
#define compat_wrmsr_safe(msr, value) wrmsrl_safe(msr, value)
#endif

/* Handlers of uprobes got a cookie argument. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define COMPAT_UPROBE_ARGUMENTS                                                                    \
	struct uprobe_consumer *consumer, struct pt_regs *regs, __u64 *cookie
#else
#define COMPAT_UPROBE_ARGUMENTS struct uprobe_consumer *consumer, struct pt_regs *regs
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
static inline struct uprobe *compat_uprobe_register(struct inode *inode, loff_t offset,
						    loff_t ref_ctr,
						    struct uprobe_consumer *consumer)
{
	return uprobe_register(inode, offset, ref_ctr, consumer);
}

static inline void compat_uprobe_unregister(struct uprobe *uprobe, struct inode *inode,
					    loff_t offset, struct uprobe_consumer *consumer)
{
	uprobe_unregister_nosync(uprobe, consumer);
	uprobe_unregister_sync();
}
#else
static inline struct uprobe *compat_uprobe_register(struct inode *inode, loff_t offset,
						    loff_t ref_ctr,
						    struct uprobe_consumer *consumer)
{
	int status = uprobe_register_refctr(inode, offset, ref_ctr, consumer);

	/*
	 * These kernels return no uprobe, and unregistering does not need it: any pointer that is
	 * no error will do.
	 */
	return status ? ERR_PTR(status) : (struct uprobe *)consumer;
}

static inline void compat_uprobe_unregister(struct uprobe *uprobe, struct inode *inode,
					    loff_t offset, struct uprobe_consumer *consumer)
{
	uprobe_unregister(inode, offset, consumer);
}
#endif

/* Arguments of the handler of a function's return. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define COMPAT_URETPROBE_ARGUMENTS                                                                 \
	struct uprobe_consumer *consumer, unsigned long function, struct pt_regs *regs,            \
		__u64 *cookie
#else
#define COMPAT_URETPROBE_ARGUMENTS                                                                 \
	struct uprobe_consumer *consumer, unsigned long function, struct pt_regs *regs
#endif

/* Arguments of the filter that decides in whose memory a uprobe is set. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define COMPAT_FILTER_ARGUMENTS struct uprobe_consumer *consumer, struct mm_struct *mm
#else
#define COMPAT_FILTER_ARGUMENTS                                                                    \
	struct uprobe_consumer *consumer, enum uprobe_filter_ctx context, struct mm_struct *mm
#endif

/* task_newtask passes the flags of clone(2) in 64 bits. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#define COMPAT_NEWTASK_ARGUMENTS void *data, struct task_struct *task, u64 clone_flags
#else
#define COMPAT_NEWTASK_ARGUMENTS void *data, struct task_struct *task, unsigned long clone_flags
#endif

#endif
