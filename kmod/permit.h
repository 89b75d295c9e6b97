/* SPDX-License-Identifier: GPL-2.0-only */
/* Who may trace whom. */
#ifndef KMOD_PERMIT_H
#define KMOD_PERMIT_H

#include <linux/fs.h>
#include <linux/sched.h>

/* permit_open() - 0, or -EPERM: no CAP_PERFMON, or the kernel is locked down. */
int permit_open(void);

/* permit_task() - whether who opened the file may trace the task. Kernel threads: never. */
bool permit_task(const struct file *file, struct task_struct *task);

#endif
