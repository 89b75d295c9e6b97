/* SPDX-License-Identifier: GPL-2.0-only */
/* Permission: who may trace whom. */
#ifndef TRAWL_KMOD_PERMIT_H
#define TRAWL_KMOD_PERMIT_H

#include <linux/binfmts.h>
#include <linux/fs.h>
#include <linux/sched.h>

/* permit_open() - 0, or -EPERM if the caller lacks CAP_PERFMON or the kernel is locked down. */
int permit_open(void);

/*
 * permit_task() - whether the program that opened the file may trace the task, by its credentials
 * at that time. Kernel threads may never be traced.
 */
bool permit_task(const struct file *file, struct task_struct *task);

/*
 * permit_program() - whether a task that executes the program may still be traced: not if it gains
 * privileges by that, or if its user may not read the program's file.
 */
bool permit_program(const struct linux_binprm *bprm);

/*
 * permit_lock() - until permit_unlock(), no exec changes the task's credentials or memory, so that
 * the result of permit_task() stays valid. Returns 0, or -EINTR if the caller is being killed.
 * Sleeps.
 */
int permit_lock(struct task_struct *task);
void permit_unlock(struct task_struct *task);

#endif
