// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/task.h"
#include <linux/hashtable.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/stop_machine.h>
#include <linux/timekeeping.h>
#include "kmod/attachment.h"
#include "kmod/lbr.h"
#include "kmod/session.h"

DEFINE_RAW_SPINLOCK(tasks_lock);
static DEFINE_HASHTABLE(tasks, 10);

struct traced *traced_find(struct task_struct *task)
{
	struct traced *t;

	hash_for_each_possible_rcu(tasks, t, node, (unsigned long)task)
		if (t->task == task)
			return t;
	return NULL;
}

static struct traced *new_traced(struct task_struct *task, gfp_t gfp)
{
	struct traced *t = kzalloc(sizeof(*t), gfp);

	if (!t)
		return NULL;
	t->task = task;
	refcount_set(&t->refs, 1);
	INIT_LIST_HEAD(&t->attachments);
	return t;
}

/* Under tasks_lock. */
static void insert(struct traced *t)
{
	t->hashed = true;
	hash_add_rcu(tasks, &t->node, (unsigned long)t->task);
}

/*
 * Removes it from the table; returns whether the table's reference must be dropped. Called with
 * tasks_lock held.
 */
static bool unhash(struct traced *t)
{
	bool was = t->hashed;

	if (was)
		hash_del_rcu(&t->node);
	t->hashed = false;
	return was;
}

void traced_remove(struct traced *t)
{
	unsigned long flags;
	bool drop;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	/* An attachment may have been linked meanwhile. */
	drop = !t->step.wanted && list_empty(&t->attachments) && unhash(t);
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
	if (drop)
		traced_put(t);
}

static bool steps(const struct attachment *a)
{
	return a->config.provider == TRAWL_PROVIDER_STEP && !READ_ONCE(a->config.on_exec);
}

/* Under tasks_lock. */
static void want(struct traced *t)
{
	struct attachment *a;
	bool wanted = false;

	list_for_each_entry(a, &t->attachments, of_task)
		wanted |= steps(a);
	WRITE_ONCE(t->step.wanted, wanted);
}

static void number(struct attachment *a, struct task_struct *task)
{
	a->tid = pid_nr_ns(task_pid(task), a->session->ns);
	a->tgid = pid_nr_ns(task_tgid(task), a->session->ns);
}

/* Under tasks_lock. */
static void link(struct traced *t, struct attachment *a)
{
	number(a, t->task);
	a->traced = t;
	traced_get(t);
	a->linked = true;
	list_add_tail_rcu(&a->of_task, &t->attachments);
	list_add_tail(&a->of_session, &a->session->attachments);
	if (a->config.form == TRAWL_FORM_STREAM && a->session->ring)
		ring_tasks(a->session->ring, 1);
	want(t);
}

static bool has_form(struct traced *t, const struct attachment *like)
{
	struct attachment *a;

	list_for_each_entry(a, &t->attachments, of_task)
		if (a->session == like->session && a->config.form == like->config.form)
			return true;
	return false;
}

static int attach(struct task_struct *task, struct attachment *a, struct traced **fresh)
{
	struct traced *t = traced_find(task);

	/* The task sets this flag before traced_exit() is called for it. */
	if (task->flags & PF_EXITING)
		return -ESRCH;
	if (t && has_form(t, a))
		return -EEXIST;
	if (!t) {
		t = *fresh;
		*fresh = NULL;
		insert(t);
	}
	link(t, a);
	return 0;
}

int traced_attach(struct task_struct *task, struct attachment *a)
{
	struct traced *fresh = new_traced(task, GFP_KERNEL_ACCOUNT);
	unsigned long flags;
	int status;

	if (!fresh)
		return -ENOMEM;
	rcu_read_lock();
	raw_spin_lock_irqsave(&tasks_lock, flags);
	status = attach(task, a, &fresh);
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
	rcu_read_unlock();
	kfree(fresh);
	return status;
}

/* Puts a record that is not from the step provider into one attachment. */
static void put_event(struct attachment *a, u8 kind, u64 from, u64 to)
{
	struct trawl_branch r = {
		.kind = kind, .from = from, .to = to, .time = ktime_get_mono_fast_ns()
	};

	attachment_put(a, &r);
}

void traced_unlink(struct attachment *a, u32 gap)
{
	struct traced *t = a->traced;
	struct ring *ring = a->session->ring;

	if (!a->linked) {
		a->session->dead -= a->state == TRAWL_TASK_EXITED;
		return;
	}
	if (gap == TRAWL_GAP_PRIVILEGE)
		put_event(a, TRAWL_KIND_END, gap, t->step.ip);
	list_del_rcu(&a->of_task);
	a->linked = false;
	if (a->config.form == TRAWL_FORM_STREAM && ring && !ring_tasks(ring, -1))
		session_wake(a->session);
	want(t);
}

void traced_stop(struct traced *t)
{
	struct attachment *a, *next;
	unsigned long flags;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	list_for_each_entry_safe(a, next, &t->attachments, of_task) {
		traced_unlink(a, TRAWL_GAP_PRIVILEGE);
		a->state = TRAWL_TASK_STOPPED;
	}
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
}

void traced_exit(struct traced *t, int code)
{
	struct attachment *a, *next;
	unsigned long flags;
	bool drop;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	list_for_each_entry_safe(a, next, &t->attachments, of_task) {
		if (a->begun)
			put_event(a, TRAWL_KIND_EXIT, (u32)code, t->step.ip);
		a->begun = false;
		traced_unlink(a, TRAWL_GAP_BEGIN);
		a->state = TRAWL_TASK_EXITED;
		a->session->dead++;
		list_move_tail(&a->of_session, &a->session->attachments);
	}
	drop = unhash(t);
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
	if (drop)
		traced_put(t);
}

/* Whether attachment_room() has still to be called for the attachment. */
static bool lacks_room(const struct attachment *a)
{
	if (a->config.provider == TRAWL_PROVIDER_LBR && !a->lbr)
		return true;
	return a->config.form != TRAWL_FORM_STREAM && !a->store.records;
}

/* Under tasks_lock. */
static void inherit(struct traced *child, struct attachment *a)
{
	struct attachment *copy;

	if (a->config.alone || a->config.on_exec || session_closing(a->session))
		return;
	copy = attachment_new(a->session, &a->config, true);
	if (copy) {
		link(child, copy);
		child->step.unprepared |= lacks_room(copy);
	} else {
		put_event(a, TRAWL_KIND_CHILD_LOST,
			  pid_nr_ns(task_pid(child->task), a->session->ns), 0);
	}
}

struct traced *traced_fork(struct traced *parent, struct task_struct *task)
{
	struct traced *child = new_traced(task, GFP_NOWAIT | __GFP_NOWARN);
	struct attachment *a;
	unsigned long flags;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	list_for_each_entry(a, &parent->attachments, of_task) {
		if (child)
			inherit(child, a);
		else if (!a->config.alone)
			put_event(a, TRAWL_KIND_CHILD_LOST,
				  pid_nr_ns(task_pid(task), a->session->ns), 0);
	}
	if (child && !list_empty(&child->attachments))
		insert(child);
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
	if (!child || child->hashed)
		return child;
	kfree(child);
	return NULL;
}

/* A thread that calls exec gets the id of the process' first thread. */
static void rename(struct attachment *a, struct task_struct *task)
{
	pid_t tid = pid_nr_ns(task_pid(task), a->session->ns);

	if (tid == a->tid)
		return;
	if (a->begun)
		put_event(a, TRAWL_KIND_END, TRAWL_GAP_RENAMED, tid);
	a->begun = false;
	number(a, task);
}

void traced_exec(struct traced *t)
{
	struct attachment *a;
	unsigned long flags;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	list_for_each_entry(a, &t->attachments, of_task) {
		rename(a, t->task);
		a->config.on_exec = false;
		if (a->lbr)
			lbr_forget(a->lbr);
	}
	want(t);
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
}

static void begin(struct traced *t, struct attachment *a)
{
	struct task_struct *parent = rcu_dereference(t->task->real_parent);
	u64 from = (u64)pid_nr_ns(task_pid(parent), a->session->ns) << 32 | a->tgid;

	a->begun = true;
	a->state = TRAWL_TASK_TRACED;
	put_event(a, TRAWL_KIND_TASK, from, t->task->start_boottime);
	put_event(a, TRAWL_KIND_RESUME, TRAWL_GAP_BEGIN, t->step.ip);
}

void traced_record(struct traced *t, const struct trawl_branch *record)
{
	struct attachment *a;

	list_for_each_entry_rcu(a, &t->attachments, of_task) {
		if (!steps(a))
			continue;
		if (!a->begun)
			begin(t, a);
		attachment_put(a, record);
	}
}

/* The next attachment that needs room, with a reference to its session; NULL: none. */
static struct attachment *without_room(struct traced *t)
{
	struct attachment *a, *found = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	list_for_each_entry(a, &t->attachments, of_task)
		if (!found && lacks_room(a) && !a->starved)
			found = a;
	if (found)
		session_get(found->session);
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
	return found;
}

static bool still_there(struct traced *t, struct attachment *which)
{
	struct attachment *a;
	unsigned long flags;
	bool there = false;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	list_for_each_entry(a, &t->attachments, of_task)
		there |= a == which;
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
	return there;
}

bool traced_has_lbr(struct traced *t)
{
	struct attachment *a;

	list_for_each_entry_rcu(a, &t->attachments, of_task)
		if (a->lbr)
			return true;
	return false;
}

bool traced_lbr_given_up(struct traced *t)
{
	struct attachment *a;

	list_for_each_entry_rcu(a, &t->attachments, of_task)
		if (a->lbr && lbr_given_up(a->lbr))
			return true;
	return false;
}

/* The next attachment with an LBR after `last`, with a reference to its session; NULL: none. */
static struct attachment *next_with_lbr(struct traced *t, struct attachment *last)
{
	struct attachment *a, *found = NULL;
	unsigned long flags;
	bool after = !last;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	list_for_each_entry(a, &t->attachments, of_task) {
		if (after && a->lbr && !found)
			found = a;
		after |= a == last;
	}
	if (found)
		session_get(found->session);
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
	return found;
}

void traced_resume_lbr(struct traced *t)
{
	struct attachment *a = NULL;

	while ((a = next_with_lbr(t, a))) {
		struct session *session = a->session;

		mutex_lock(&session->mutex);
		if (still_there(t, a))
			lbr_resume(a->lbr);
		mutex_unlock(&session->mutex);
		session_put(session);
	}
}

void traced_prepare(struct traced *t)
{
	struct attachment *a;

	while ((a = without_room(t))) {
		struct session *session = a->session;

		/* Keeps requests, which may release the attachment, out. */
		mutex_lock(&session->mutex);
		if (still_there(t, a) && attachment_room(a, current))
			a->starved = true;
		mutex_unlock(&session->mutex);
		session_put(session);
	}
	rcu_read_lock();
	list_for_each_entry_rcu(a, &t->attachments, of_task)
		if (!a->begun && steps(a))
			begin(t, a);
	rcu_read_unlock();
}

/* A session whose ring is short of room, with a reference; NULL: none. */
static struct session *short_of_room(struct traced *t)
{
	struct session *found = NULL;
	struct attachment *a;
	unsigned long flags;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	list_for_each_entry(a, &t->attachments, of_task) {
		if (!found && a->config.form == TRAWL_FORM_STREAM &&
		    !session_closing(a->session) && ring_short(a->session->ring))
			found = a->session;
	}
	if (found)
		session_get(found);
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
	return found;
}

bool traced_short_of_room(struct traced *t)
{
	struct attachment *a;

	list_for_each_entry_rcu(a, &t->attachments, of_task)
		if (a->config.form == TRAWL_FORM_STREAM && ring_short(a->session->ring))
			return true;
	return false;
}

void traced_wait_for_room(struct traced *t)
{
	struct session *session = short_of_room(t);

	/* One ring is enough: the next step checks again. */
	if (session) {
		session_wait_for_room(session);
		session_put(session);
	}
}

void traced_keep(struct traced *t)
{
	struct attachment *a;

	list_for_each_entry_rcu(a, &t->attachments, of_task)
		attachment_keep(a);
}

bool tasks_empty(void)
{
	return hash_empty(tasks);
}

static int take_all(void *last)
{
	void (*see)(struct traced *traced) = last;
	struct hlist_node *next;
	struct traced *t;
	int bucket;

	hash_for_each_safe(tasks, bucket, next, t, node) {
		see(t);
		unhash(t);
		traced_put(t);
	}
	return 0;
}

void tasks_take_all(void (*last)(struct traced *traced))
{
	if (!tasks_empty())
		stop_machine(take_all, last, NULL);
}
