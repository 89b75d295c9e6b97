// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/attached.h"
#include <linux/rculist.h>
#include "kmod/session.h"
#include "kmod/task.h"

struct attachment *attachment_find(struct session *session, pid_t tid, u32 form)
{
	struct attachment *a, *found = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	list_for_each_entry(a, &session->attachments, of_session) {
		if (a->tid == tid && a->config.form == form &&
		    (!found || found->state == TRAWL_TASK_EXITED))
			found = a;
	}
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
	return found;
}

static bool is_one_of(const struct attachment *a, pid_t pid, u32 form, enum attachments_of of)
{
	if (form && a->config.form != form)
		return false;
	return of == ATTACHMENTS_ALL || (of == ATTACHMENTS_PROCESS ? a->tgid : a->tid) == pid;
}

u32 attachments_end(struct session *session, pid_t pid, u32 form, enum attachments_of of)
{
	struct attachment *a, *next;
	unsigned long flags;
	LIST_HEAD(ended);
	u32 n = 0;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	list_for_each_entry_safe(a, next, &session->attachments, of_session) {
		if (is_one_of(a, pid, form, of)) {
			traced_unlink(a, TRAWL_GAP_DISABLED);
			list_move_tail(&a->of_session, &ended);
			n++;
		}
	}
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
	list_for_each_entry_safe(a, next, &ended, of_session) {
		list_del_init(&a->of_session);
		attachment_release(a);
	}
	return n;
}

void attachments_trim(struct session *session)
{
	struct attachment *a, *next;
	unsigned long flags;
	LIST_HEAD(ended);

	raw_spin_lock_irqsave(&tasks_lock, flags);
	list_for_each_entry_safe(a, next, &session->attachments, of_session) {
		if (session->dead <= TRAWL_DEAD_MAX)
			break;
		if (a->state == TRAWL_TASK_EXITED) {
			session->dead--;
			list_move_tail(&a->of_session, &ended);
		}
	}
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
	list_for_each_entry_safe(a, next, &ended, of_session) {
		list_del_init(&a->of_session);
		attachment_release(a);
	}
}
