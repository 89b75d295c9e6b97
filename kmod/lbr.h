/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The provider "lbr": a counter of perf's, which counts nothing that matters, owns a task's last
 * branch records and keeps those of the kernel out; the module only reads registers. As the records
 * stand still once the task is in the kernel, they are read when it leaves its CPU, when it ends,
 * or when it is asked.
 */
#ifndef KMOD_LBR_H
#define KMOD_LBR_H

#include <linux/sched.h>
#include "kmod/trawl_uapi.h"

struct lbr;
struct store;

enum trawl_why lbr_why(const char **reason);

/* lbr_depth() - how many entries; 0: not usable. */
u32 lbr_depth(void);

/* lbr_open() - begins for a task. May sleep. Returns ERR_PTR(-EBUSY), ERR_PTR(-EOPNOTSUPP),
 * ERR_PTR(-ENOMEM) .... */
struct lbr *lbr_open(struct task_struct *task);
void lbr_close(struct lbr *lbr);	/* may sleep; NULL is nothing */

/*
 * lbr_resume() - of the current task: the processor switches its branch records off at each debug
 * exception, those of a uprobe's or a debugger's steps among them. perf switches them on again;
 * what they have stays. May sleep.
 */
void lbr_resume(struct lbr *lbr);

/* lbr_keep() - reads them, of the task that runs here. Interrupts are off. */
void lbr_keep(struct lbr *lbr);

/*
 * lbr_peek() - the records of the current task, oldest first, with room for 64; of unknown kinds
 * where the registers don't say. Under rcu_read_lock(), without sleeping. False: somebody else had
 * them, or they hold what are no addresses.
 */
bool lbr_peek(struct lbr *lbr, struct trawl_record *records, u32 *count);

/*
 * lbr_stack() - the same, after lbr_keep(), in memory of the lbr's, which has room for one more.
 * Only of the task that runs here, with interrupts off.
 */
struct trawl_record *lbr_stack(struct lbr *lbr, u32 *count, bool *ours);

/*
 * lbr_refresh() - puts what the task has now, filtered, in place of what is in the store. The task
 * may have exited (NULL): kinds of branches are then unknown. May sleep. Returns -EBUSY when
 * somebody else has them, or they hold what are no addresses.
 */
int lbr_refresh(struct lbr *lbr, struct task_struct *task, u32 select, struct store *store);

#endif
