/* SPDX-License-Identifier: GPL-2.0-only */
/* One session records one task in one form. */
#ifndef KMOD_ATTACHMENT_H
#define KMOD_ATTACHMENT_H

#include <linux/list.h>
#include <linux/workqueue.h>
#include "kmod/store.h"

struct lbr;
struct session;
struct traced;

/* What a request says of it; children have the same. */
struct attachment_config {
	u32 form, provider;
	u32 depth;			/* LBR */
	u32 select;			/* LBR and STREAM */
	u64 bts_control, bts_size, bts_threshold;
	bool alone;			/* no children */
	bool on_exec;			/* nothing before the next exec */
};

struct attachment {
	struct list_head of_task;	/* RCU; while `linked` */
	struct list_head of_session;
	bool linked;			/* the task records; under tasks_lock */
	struct rcu_work release;
	struct session *session;	/* a reference */
	struct traced *traced;		/* a reference */
	struct attachment_config config;
	u32 select;			/* what is suppressed: filter.h */
	struct store store;		/* forms LBR and BTS */
	struct lbr *lbr;		/* provider LBR */
	u32 state;			/* enum trawl_task_state */
	bool begun;			/* its first record has been made */
	bool starved;			/* a child without memory for its store */
	pid_t tid, tgid;		/* in the session's namespace */
};

/*
 * attachment_new() - not linked to anything yet. With `atomic`, without sleeping and without room
 * in its store: attachment_room() makes it later, and begins with provider LBR. Returns NULL
 * without memory.
 */
struct attachment *attachment_new(struct session *session, const struct attachment_config *config,
				  bool atomic);
int attachment_room(struct attachment *attachment, struct task_struct *task);

/* attachment_select() - config.select or config.bts_control has changed. */
void attachment_select(struct attachment *attachment);

/* attachment_release() - frees it when nobody looks at it any more. It is in no list. Any
 * context. */
void attachment_release(struct attachment *attachment);

/* attachment_put() - one record, if it is wanted. Any context but NMI; under rcu_read_lock(). */
void attachment_put(struct attachment *attachment, const struct trawl_record *record);

/* attachment_keep() - what the LBR of the task that runs here has now. Interrupts are off. */
void attachment_keep(struct attachment *attachment);

int attachments_init(void);
void attachments_exit(void);	/* no session is left */

#endif
