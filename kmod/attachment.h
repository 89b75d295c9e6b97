/* SPDX-License-Identifier: GPL-2.0-only */
/* An attachment: one session records one task in one form. */
#ifndef TRAWL_KMOD_ATTACHMENT_H
#define TRAWL_KMOD_ATTACHMENT_H

#include <linux/list.h>
#include <linux/workqueue.h>
#include "kmod/store.h"

struct lbr;
struct session;
struct traced;

/* What the request for an attachment says; those of children are copies. */
struct attachment_config {
	u32 form, provider;
	u32 depth;			/* LBR */
	u32 select;			/* LBR and STREAM */
	u64 bts_control, bts_size, bts_threshold;
	bool alone;			/* children are not followed */
	bool on_exec;			/* recording begins at the next exec */
};

struct attachment {
	struct list_head of_task;	/* RCU; while `linked` */
	struct list_head of_session;
	bool linked;			/* the task records for it; protected by tasks_lock */
	struct rcu_work release;
	struct session *session;	/* a reference */
	struct traced *traced;		/* a reference */
	struct attachment_config config;
	u32 select;			/* what is suppressed, see select.h */
	struct store store;		/* forms LBR and BTS */
	struct lbr *lbr;		/* provider LBR */
	u32 state;			/* enum trawl_task_state */
	bool begun;			/* its first record has been written */
	bool starved;			/* a child whose store could not be allocated */
	pid_t tid, tgid;		/* in the session's namespace */
};

/*
 * attachment_new() - an attachment that is in no list yet. With `atomic` it does not sleep, and the
 * store has no memory yet: attachment_room() allocates that later, and opens the LBR. Returns NULL
 * without memory.
 */
struct attachment *attachment_new(struct session *session, const struct attachment_config *config,
				  bool atomic);
int attachment_room(struct attachment *attachment, struct task_struct *task);

/* attachment_select() - takes over a changed config.select or config.bts_control. May sleep. */
void attachment_select(struct attachment *attachment);

/*
 * attachment_release() - ends its recording, and frees it after an RCU grace period. It must be in
 * no list. May sleep.
 */
void attachment_release(struct attachment *attachment);

/*
 * attachment_put() - stores one record if the select bits want it. Any context but NMI; under
 * rcu_read_lock().
 */
void attachment_put(struct attachment *attachment, const struct trawl_branch *record);

/* attachment_keep() - reads the LBR of the task that runs on this CPU. Interrupts are off. */
void attachment_keep(struct attachment *attachment);

int attachments_init(void);
void attachments_exit(void);	/* called when no session is left */

#endif
