/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of all traced tasks, by the address of their task_struct. A task is in it until it has
 * exited.
 */
#ifndef TRAWL_KMOD_TASK_H
#define TRAWL_KMOD_TASK_H

#include "kmod/traced.h"
#include "kmod/trawl_uapi.h"

struct attachment;

/*
 * Protects the table, every traced->attachments and session->attachments. It is taken with
 * interrupts off and inside the scheduler's locks: while it is held, do not allocate memory, wake a
 * task, or sleep.
 */
extern raw_spinlock_t tasks_lock;

/* traced_find() - the entry of the task; NULL if it is not traced. Called under rcu_read_lock(). */
struct traced *traced_find(struct task_struct *task);

/*
 * traced_attach() - links an attachment to a task. Returns 0; -ESRCH if the task exits; -EEXIST if
 * the session has an attachment of that form on it; -ENOMEM. On an error the caller still owns the
 * attachment. May sleep.
 */
int traced_attach(struct task_struct *task, struct attachment *attachment);

/*
 * traced_fork() - gives a new task, which has not run yet, copies of its parent's attachments.
 * Returns NULL if the child is not traced. Does not sleep.
 */
struct traced *traced_fork(struct traced *parent, struct task_struct *child);

/*
 * traced_unlink() - the attachment's task does not record for it any more; `gap` (enum trawl_gap)
 * says why. Called with tasks_lock held.
 */
void traced_unlink(struct attachment *attachment, u32 gap);

/* traced_stop() - ends all attachments of the task, which gained privileges. */
void traced_stop(struct traced *traced);

/* traced_exit() - the task is exiting with this code, as wait(2) has it. */
void traced_exit(struct traced *traced, int code);

/*
 * traced_remove() - takes the entry out of the table, when nothing of the module is left in the
 * task.
 */
void traced_remove(struct traced *traced);

/*
 * traced_record() - gives a record of the step provider to the attachments that want it. Under
 * rcu_read_lock().
 */
void traced_record(struct traced *traced, const struct trawl_branch *record);

/* traced_prepare() - allocates what new attachments need. Called by the task itself; sleeps. */
void traced_prepare(struct traced *traced);

/*
 * traced_short_of_room(), traced_wait_for_room() - whether a ring that blocks is short of room;
 * waits until it is not. Called by the task itself.
 */
bool traced_short_of_room(struct traced *traced);
void traced_wait_for_room(struct traced *traced);

/*
 * traced_has_lbr() - whether somebody reads its branch records. traced_lbr_given_up() - whether
 * perf has given up an event of these. traced_resume_lbr() - lbr_resume() for each of them, called
 * by the task itself.
 */
bool traced_has_lbr(struct traced *traced);
bool traced_lbr_given_up(struct traced *traced);
void traced_resume_lbr(struct traced *traced);

/*
 * traced_keep() - reads the task's branch records from the processor before the task leaves it.
 * Interrupts are off.
 */
void traced_keep(struct traced *traced);

/* traced_exec() - the task has executed another program, and may have another thread id now. */
void traced_exec(struct traced *traced);

/* tasks_empty() - whether no task is traced. */
bool tasks_empty(void);

/*
 * tasks_take_all() - empties the table while all other CPUs are stopped, so that the saved
 * registers of every task are complete; calls `last` for each entry.
 */
void tasks_take_all(void (*last)(struct traced *traced));

#endif
