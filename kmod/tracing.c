// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/tracing.h"
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "kmod/attached.h"
#include "kmod/hooks.h"
#include "kmod/lbr.h"
#include "kmod/permit.h"
#include "kmod/session.h"
#include "kmod/step.h"
#include "kmod/task.h"

/* The process id in the session's namespace: the caller's where pid is 0. */
static pid_t number(struct session *s, pid_t pid)
{
	return pid ?: pid_nr_ns(task_pid(current), s->ns);
}

static struct task_struct *get_task(struct session *s, pid_t pid)
{
	struct task_struct *task;

	rcu_read_lock();
	task = pid > 0 ? pid_task(find_pid_ns(pid, s->ns), PIDTYPE_PID) : NULL;
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	return task;
}

/*
 * An exec that gains privileges either comes before this, and permit_task() sees it, or after it,
 * and then on_exec() does.
 */
static int attach_permitted(struct file *file, struct task_struct *task, struct attachment *a)
{
	int status = permit_lock(task);

	if (status)
		return status;
	status = permit_task(file, task) ? traced_attach(task, a) : -EPERM;
	permit_unlock(task);
	return status;
}

static int attach(struct file *file, struct session *s, struct task_struct *task,
		  const struct attachment_config *config)
{
	struct attachment *a;
	int status;

	if (!permit_task(file, task))
		return -EPERM;
	a = attachment_new(s, config, false);
	if (!a)
		return -ENOMEM;
	status = attachment_room(a, task);
	if (!status)
		status = attach_permitted(file, task, a);
	if (status) {
		attachment_release(a);
		return status;
	}
	step_begin(a->traced, task);
	return 0;
}

struct threads {
	struct task_struct **task;	/* with references */
	u32 count, room;
};

/* The threads of a process, unless some begin meanwhile: then all of the room is taken. */
static int threads_of(struct task_struct *leader, struct threads *threads)
{
	struct task_struct *t;

	threads->count = 0;
	threads->room = get_nr_threads(leader) + 1;
	threads->task = kvcalloc(threads->room, sizeof(*threads->task), GFP_KERNEL_ACCOUNT);
	if (!threads->task)
		return -ENOMEM;
	rcu_read_lock();
	for_each_thread(leader, t) {
		if (threads->count == threads->room)
			break;
		if (!(t->flags & PF_EXITING))
			threads->task[threads->count++] = get_task_struct(t);
	}
	rcu_read_unlock();
	return 0;
}

static bool enabled(struct session *s, pid_t tid, u32 form)
{
	struct attachment *a = attachment_find(s, tid, form);

	return a && a->linked;
}

/* Attaches those threads that are not attached yet, and puts all; *fresh: how many it found. */
static int attach_threads(struct file *file, struct session *s, struct threads *threads,
			  const struct attachment_config *config, u32 *fresh, u32 *tasks)
{
	int status = 0;
	u32 i;

	*fresh = 0;
	for (i = 0; i < threads->count; i++) {
		struct task_struct *t = threads->task[i];

		if (!status && !enabled(s, pid_nr_ns(task_pid(t), s->ns), config->form)) {
			status = attach(file, s, t, config);
			*tasks += !status;
			++*fresh;
			/* The thread has ended meanwhile, or is traced because its parent is. */
			if (status == -ESRCH || status == -EEXIST)
				status = 0;
		}
		put_task_struct(t);
	}
	kvfree(threads->task);
	return status;
}

/* Repeats until no thread is missing; new threads of traced ones are attached at their creation. */
static int attach_all(struct file *file, struct session *s, struct task_struct *leader,
		      const struct attachment_config *config, u32 *tasks)
{
	struct threads threads;
	int status;
	u32 fresh;

	do {
		status = threads_of(leader, &threads);
		if (!status)
			status = attach_threads(file, s, &threads, config, &fresh, tasks);
		if (!status && fatal_signal_pending(current))
			status = -EINTR;
	} while (!status && (fresh || threads.count == threads.room));
	return status ?: *tasks ? 0 : -ESRCH;
}

static int enable(struct file *file, struct session *s, struct task_struct *task, bool thread,
		  const struct attachment_config *config, u32 *tasks)
{
	int status;

	if (thread) {
		status = attach(file, s, task, config);
		*tasks = !status;
		return status;
	}
	status = attach_all(file, s, task, config, tasks);
	if (status)
		attachments_end(s, pid_nr_ns(task_tgid(task), s->ns), config->form,
				ATTACHMENTS_PROCESS);
	return status;
}

int tracing_enable(struct file *file, struct session *s, pid_t pid, bool thread,
		   const struct attachment_config *config, u32 *tasks)
{
	struct task_struct *task;
	int status = 0;

	if (config->form == TRAWL_FORM_STREAM && !s->ring)
		return -ENXIO;
	attachments_trim(s);
	if (s->state == SESSION_OPEN)
		status = hooks_start();
	if (status)
		return status;
	s->state = SESSION_HOOKED;
	pid = number(s, pid);
	task = get_task(s, pid);
	if (!task)
		return -ESRCH;
	*tasks = 0;
	status = enabled(s, pid, config->form) ? -EEXIST :
						 enable(file, s, task, thread, config, tasks);
	put_task_struct(task);
	return status;
}

static bool same_room(const struct attachment_config *a, const struct attachment_config *b)
{
	return a->bts_size == b->bts_size && a->bts_threshold == b->bts_threshold &&
	       !((a->bts_control ^ b->bts_control) & TRAWL_BTS_BTINT);
}

static int configure(struct attachment *a, const struct attachment_config *config)
{
	struct attachment_config before = a->config;
	int status;

	a->config.select = config->select;
	a->config.bts_control = config->bts_control;
	a->config.bts_size = config->bts_size;
	a->config.bts_threshold = config->bts_threshold;
	if (config->form != TRAWL_FORM_BTS || same_room(&before, config)) {
		attachment_select(a);
		return 0;
	}
	status = attachment_room(a, NULL);
	if (status)
		a->config = before;
	return status;
}

/* An attachment of this process or thread whose configuration differs; NULL: none is left. */
static struct attachment *other(struct session *s, pid_t pid, bool thread,
				const struct attachment_config *config, u32 *count)
{
	struct attachment *a, *found = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	list_for_each_entry(a, &s->attachments, of_session) {
		if ((thread ? a->tid : a->tgid) != pid || a->config.form != config->form)
			continue;
		++*count;
		if (a->config.select != config->select ||
		    a->config.bts_control != config->bts_control || !same_room(&a->config, config))
			found = a;
	}
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
	return found;
}

int tracing_configure(struct session *s, pid_t pid, bool thread,
		      const struct attachment_config *config)
{
	struct attachment *a;
	u32 count = 0;
	int status = 0;

	pid = number(s, pid);
	while (!status && (a = other(s, pid, thread, config, &count)))
		status = configure(a, config);
	return status ?: count ? 0 : -ENOENT;
}

int tracing_disable(struct session *s, pid_t pid, bool thread, u32 form)
{
	u32 n = attachments_end(s, number(s, pid), form,
				thread ? ATTACHMENTS_THREAD : ATTACHMENTS_PROCESS);

	return n ? 0 : -ENOENT;
}

struct attachment *tracing_find(struct session *s, pid_t pid, u32 form)
{
	struct attachment *a = attachment_find(s, number(s, pid), form);
	struct task_struct *task;
	int status;

	if (!a)
		return ERR_PTR(-ENOENT);
	if (!a->lbr)
		return a;
	task = a->linked ? get_task(s, a->tid) : NULL;
	status = lbr_refresh(a->lbr, task, a->select, &a->store);
	if (task)
		put_task_struct(task);
	return status ? ERR_PTR(status) : a;
}
