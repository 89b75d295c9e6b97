/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks that are traced, by whomever: found by their address, until they have exited. */
#ifndef KMOD_TASK_H
#define KMOD_TASK_H

#include "kmod/traced.h"
#include "kmod/trawl_uapi.h"

struct attachment;

/*
 * Guards the table, every traced->attachments and session->attachments. It is taken with interrupts
 * off and inside the scheduler's locks: no allocation, no wake-up, nothing that sleeps below it.
 */
extern raw_spinlock_t tasks_lock;

/* traced_find() - under rcu_read_lock(); NULL: it is not traced. */
struct traced *traced_find(struct task_struct *task);

/*
 * traced_attach() - links an attachment to a task. Returns -ESRCH if it exits, -EEXIST if the
 * session has that form on it, -ENOMEM; the attachment is then still the caller's. May sleep.
 */
int traced_attach(struct task_struct *task, struct attachment *attachment);

/*
 * traced_fork() - the new task gets what its parent has. It has not run yet. Doesn't sleep. NULL:
 * it is not traced.
 */
struct traced *traced_fork(struct traced *parent, struct task_struct *child);

/* traced_unlink() - its task doesn't record for it any more. Under tasks_lock. */
void traced_unlink(struct attachment *attachment, u32 gap);

/* traced_stop() - no attachment may see more of it: it gained privileges. */
void traced_stop(struct traced *traced);

/* traced_exit() - the task is exiting. */
void traced_exit(struct traced *traced, int code);

/* traced_remove() - takes it out of the table; nothing of ours is left in the task. */
void traced_remove(struct traced *traced);

/* traced_record() - gives a record of the step provider to those who want it. Under
 * rcu_read_lock(). */
void traced_record(struct traced *traced, const struct trawl_record *record);

/* traced_prepare() - what its new attachments need that can't be had without sleeping. By the task
 * itself. */
void traced_prepare(struct traced *traced);

/* traced_short_of_room(), traced_wait_for_room() - of the rings that block. By the task itself. */
bool traced_short_of_room(struct traced *traced);
void traced_wait_for_room(struct traced *traced);

/* traced_has_lbr() - whether somebody reads its branch records. traced_resume_lbr() - by the task
 * itself: lbr_resume(). */
bool traced_has_lbr(struct traced *traced);
void traced_resume_lbr(struct traced *traced);

/* traced_keep() - what processors hold of it, before it leaves this one. Interrupts are off. */
void traced_keep(struct traced *traced);

/* traced_exec() - it is another program now, perhaps with another thread id. */
void traced_exec(struct traced *traced);

bool tasks_empty(void);

/*
 * tasks_take_all() - empties the table while nobody runs but this, so that the saved registers of
 * every task are whole; `last` sees each of them.
 */
void tasks_take_all(void (*last)(struct traced *traced));

#endif
