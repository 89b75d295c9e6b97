/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The provider "lbr": an event of perf owns the branch records of a task and keeps out those of the
 * kernel; what the event itself counts is not used. The module reads the registers, and empties
 * them at an exec and after another event had them. Once the task has entered the kernel its
 * records no longer change, so they are read when it leaves its CPU, when it ends, or on request.
 */
#ifndef TRAWL_KMOD_LBR_H
#define TRAWL_KMOD_LBR_H

#include <linux/sched.h>
#include "kmod/trawl_uapi.h"

struct lbr;
struct store;

enum trawl_why lbr_why(const char **reason);

/* lbr_depth() - how many entries the LBR has; 0: not usable. */
u32 lbr_depth(void);

/*
 * lbr_open() - begins to record for a task; the processor does not record the kinds of branches
 * that `select` suppresses (TRAWL_NO_*). Returns ERR_PTR(-EBUSY), ERR_PTR(-EOPNOTSUPP),
 * ERR_PTR(-ENOMEM) or another error of perf's. May sleep.
 */
struct lbr *lbr_open(struct task_struct *task, u32 select);

/*
 * lbr_stop() - gives the records and their counter back to perf at once. Who found `lbr` under
 * rcu_read_lock() before may still read it: perf, too, frees an event after a grace period, and
 * none that it has released is on a CPU. May sleep. lbr_free() comes after that grace period. NULL
 * is allowed.
 */
void lbr_stop(struct lbr *lbr);
void lbr_free(struct lbr *lbr);

/* lbr_select() - records other kinds of branches from now on. May sleep. */
void lbr_select(struct lbr *lbr, u32 select);

/*
 * lbr_resume() - switches the branch records of the current task on again by way of perf. The
 * processor switches them off at each debug exception, such as a single step of a uprobe or a
 * debugger. The entries are kept, except those of another event: see lbr_given_up(). May sleep.
 */
void lbr_resume(struct lbr *lbr);

/*
 * lbr_given_up() - whether perf has given up the event, as another one had the records: perf never
 * tries a pinned event again that once found no counter, but lbr_resume() does. Any context.
 */
bool lbr_given_up(const struct lbr *lbr);

/*
 * lbr_forget() - empties the entries of the task that runs on this CPU, which has not returned from
 * exec to user space yet: they are of the program before. Interrupts are off.
 */
void lbr_forget(struct lbr *lbr);

/* lbr_keep() - reads the entries of the task that runs on this CPU. Interrupts are off. */
void lbr_keep(struct lbr *lbr);

/*
 * lbr_peek() - copies the branches of the current task, oldest first, into `records`, which has
 * room for 64; a kind that the registers do not tell is TRAWL_KIND_UNKNOWN. Called under
 * rcu_read_lock(); does not sleep. Returns false if somebody else had the LBR, or an entry is not
 * an address.
 */
bool lbr_peek(struct lbr *lbr, struct trawl_branch *records, u32 *count);

/*
 * lbr_stack() - the branches that the latest lbr_keep() read, in memory that belongs to `lbr` and
 * has room for one more record. *ours is false where lbr_peek() would return false. Only for the
 * task that runs on this CPU, with interrupts off.
 */
struct trawl_branch *lbr_stack(struct lbr *lbr, u32 *count, bool *ours);

/*
 * lbr_refresh() - replaces what is in the store by the task's present branches, filtered by
 * `select`. `task` is NULL if it has exited: unknown kinds of branches stay unknown then. Returns
 * 0, or -EBUSY when somebody else had the LBR, or an entry is not an address. An event that perf
 * has given up is tried again. May sleep.
 */
int lbr_refresh(struct lbr *lbr, struct task_struct *task, u32 select, struct store *store);

#endif
