// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/lastbranches.h"
#include "kmod/attachment.h"
#include "kmod/lbr.h"
#include "kmod/select.h"
#include "kmod/session.h"
#include "kmod/task.h"

/*
 * The attachment of form LBR that this session has on the task, or NULL. Called under
 * rcu_read_lock().
 */
static struct attachment *stack_of(struct session *session, struct task_struct *task)
{
	struct traced *t = traced_find(task);
	struct attachment *a;

	if (t)
		list_for_each_entry_rcu(a, &t->attachments, of_task)
			if (a->session == session && a->config.form == TRAWL_FORM_LBR)
				return a;
	return NULL;
}

/* Removes the branches that the selection suppresses, which the processor records all the same. */
static u32 selected(struct trawl_branch *records, u32 n, u32 select)
{
	u32 i, kept = 0;

	for (i = 0; i < n; i++)
		if (select_wants(select, records[i].kind))
			records[kept++] = records[i];
	return kept;
}

static int copy(struct attachment *a, struct task_struct *task, struct trawl_branch *records,
		u32 last)
{
	struct store_copied copied;
	u32 i, n = 0;

	if (!a->lbr) {
		/* A store without room, for lack of memory, has kept nothing. */
		if (!a->store.records || store_copy(&a->store, records, last, false, &copied))
			return -EBUSY;
		n = copied.count;
	} else if (task != current || !lbr_peek(a->lbr, records, &n)) {
		return -EBUSY;
	} else {
		n = selected(records, n, READ_ONCE(a->select));
	}
	if (n > last) {
		memmove(records, records + n - last, last * sizeof(*records));
		n = last;
	}
	for (i = 0; i < n; i++)
		records[i].tid = a->tid;
	return n;
}

int last_branches(struct session *session, struct task_struct *task, struct trawl_branch *records,
		  u32 last)
{
	struct attachment *a;
	int n = -ENOENT;

	rcu_read_lock();
	a = stack_of(session, task);
	if (a && !last)
		n = 0;
	else if (a)
		n = copy(a, task, records, last);
	rcu_read_unlock();
	return n;
}
