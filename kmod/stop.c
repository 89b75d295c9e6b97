// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread never waits where an event is found: a handler of a uprobe that sleeps stalls whoever
 * adds or removes one. The handler leaves a task work, which the thread does on its way back to
 * user space, and there it waits, killably. The instruction at a breakpoint has been prepared by
 * then, or emulated: what the tracer sees are the registers as the handler saw them.
 *
 * A tracer that looks at a few registers lets the thread go on after a microsecond, and the next
 * event may be as near. Two switches of tasks would be most of what a stop costs: where each has a
 * CPU of its own, both look for SPIN_NS whether the other is done before they sleep.
 */
#include "kmod/tracer.h"
#include <linux/freezer.h>
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/stat.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include "kmod/khandler.h"

DEFINE_SPINLOCK(stops_lock);
static LIST_HEAD(stops);
/* Task works that are not done yet. */
static atomic_t works;
static DECLARE_WAIT_QUEUE_HEAD(works_done);

/* Longer than a stop takes on a slow machine, shorter than anybody notices. */
#define SPIN_NS		50000

/* Whether nobody else wants this CPU, and nothing else has to be done in this task. */
static bool may_spin(u64 begun)
{
	return num_online_cpus() > 1 && single_task_running() && !need_resched() &&
	       !signal_pending(current) && ktime_get_mono_fast_ns() - begun < SPIN_NS;
}

/* POLL of this tracer has something to look at. Under stops_lock. */
void stop_tell(struct tracer *tracer)
{
	WRITE_ONCE(tracer->changes, tracer->changes + 1);
	if (wq_has_sleeper(&tracer->wait))
		/* Whoever tells is about to sleep: the tracer may have its CPU. */
		__wake_up_sync(&tracer->wait, TASK_NORMAL);
}

static bool is_entry(const struct delivery *delivery)
{
	return delivery->registration->u.event == TRAWL_UPEV_SYSCALL_ENTRY;
}

const struct pt_regs *stop_registers(const struct delivery *delivery)
{
	return is_entry(delivery) ? &delivery->entry : &delivery->stop->regs;
}

/* Not yet returned, and its thread has stopped, or need not have. */
static bool is_ready(const struct delivery *delivery)
{
	return !delivery->returned &&
	       (!delivery->stop || delivery->stop->stopped || is_entry(delivery));
}

static void delivery_free(struct delivery *delivery)
{
	list_del(&delivery->in_tracer);
	if (delivery->stop) {
		list_del(&delivery->in_stop);
		if (list_empty(&delivery->stop->deliveries) &&
		    wq_has_sleeper(&delivery->stop->resume))
			/* Who polls is about to sleep: the thread may have its CPU. */
			__wake_up_sync(&delivery->stop->resume, TASK_NORMAL);
	}
	kfree(delivery);
}

static struct tracer *tracer_of(const struct delivery *delivery)
{
	return delivery->registration->tracee->tracer;
}

/* The thread goes on: what was not returned yet will be, without a thread that stops. */
static void let_go(struct stop *stop)
{
	struct delivery *delivery, *next;

	list_for_each_entry_safe(delivery, next, &stop->deliveries, in_stop) {
		list_del_init(&delivery->in_stop);
		delivery->stop = NULL;
		stop_tell(tracer_of(delivery));
	}
	list_del(&stop->link);
}

/* On the way to user space, or when the task exits. */
static void wait_for_tracers(struct callback_head *work)
{
	struct stop *stop = container_of(work, struct stop, work);
	struct delivery *delivery;
	u64 begun = ktime_get_mono_fast_ns();

	khandler_save_bases(); /* it may not be switched out before a tracer looks */
	spin_lock(&stops_lock);
	stopped_begin(stop);
	stop->stopped = true;
	list_for_each_entry(delivery, &stop->deliveries, in_stop)
		stop_tell(tracer_of(delivery));
	spin_unlock(&stops_lock);

	if (!(current->flags & PF_EXITING)) {
		while (!list_empty_careful(&stop->deliveries) && may_spin(begun))
			cpu_relax();
		wait_event_state(stop->resume, list_empty_careful(&stop->deliveries),
				 (TASK_KILLABLE | TASK_FREEZABLE));
	}

	spin_lock(&stops_lock);
	let_go(stop);
	stopped_end(stop);
	spin_unlock(&stops_lock);
	kfree(stop);
	if (atomic_dec_and_test(&works))
		wake_up_all(&works_done);
}

void stops_end(void)
{
	wait_event(works_done, !atomic_read(&works));
	/* The last of them may still be on its way out of wait_for_tracers(). */
	synchronize_rcu_tasks();
}

static struct stop *stop_of(struct task_struct *task)
{
	struct stop *stop;

	list_for_each_entry(stop, &stops, link)
		if (stop->task == task)
			return stop;
	return NULL;
}

/*
 * As of this event: the latest before the thread stops. What comes after a breakpoint is after
 * its instruction, and after a function's return is the call that the kernel makes for it.
 */
static void take_registers(struct stop *stop, const struct pt_regs *regs, u32 event)
{
	if (stop->breakpoint || (stop->returning && event != TRAWL_UPEV_FUNCRET))
		return;
	stop->regs = *regs;
	stop->ip = regs->ip;
	stop->breakpoint = event == TRAWL_UPEV_BKPT;
	stop->returning = event == TRAWL_UPEV_FUNCRET;
	stop->within = event == TRAWL_UPEV_CLONE || event == TRAWL_UPEV_VFORK_DONE ||
		       event == TRAWL_UPEV_EXEC || event == TRAWL_UPEV_SYSCALL_ENTRY;
}

static struct stop *stop_new(void)
{
	struct stop *stop = kzalloc(sizeof(*stop), GFP_ATOMIC | __GFP_NOWARN);

	if (!stop)
		return NULL;
	stop->task = current;
	INIT_LIST_HEAD(&stop->deliveries);
	init_waitqueue_head(&stop->resume);
	init_task_work(&stop->work, wait_for_tracers);
	if (task_work_add(current, &stop->work, TWA_RESUME)) {
		kfree(stop);
		return NULL;
	}
	atomic_inc(&works);
	list_add(&stop->link, &stops);
	return stop;
}

/* A tracer that has a delivery of this very moment listened when it began. */
static bool listens(const struct tracer *tracer, const struct tracee *tracee,
		    const struct stop *stop)
{
	const struct delivery *delivery;

	if (stop)
		list_for_each_entry(delivery, &stop->deliveries, in_stop)
			if (tracer_of(delivery) == tracer)
				return true;
	return tracer->listening &&
	       (!tracer->listens_to || tracer->every || tracer->listens_to == tracee->who);
}

/* It looks at a thread of this tracee, which may have been killed since. */
static bool looks_at(const struct tracer *tracer, const struct tracee *tracee)
{
	const struct delivery *delivery;

	list_for_each_entry(delivery, &tracer->deliveries, in_tracer)
		if (delivery->returned && delivery->registration->tracee == tracee)
			return true;
	return false;
}

/* Whether the thread is past the point where an event stops it: its tracee has ended. */
static bool is_end(const struct registration *registration)
{
	return registration->u.event == TRAWL_UPEV_EXIT ||
	       registration->u.event == TRAWL_UPEV_DEATH;
}

static bool deliver(struct registration *registration, struct stop *stop,
		    const struct pt_regs *regs, int status)
{
	struct delivery *delivery = kzalloc(sizeof(*delivery), GFP_ATOMIC | __GFP_NOWARN);
	struct tracer *tracer = registration->tracee->tracer;

	if (!delivery)
		return false;
	delivery->registration = registration;
	delivery->stop = stop;
	delivery->tid = task_pid_vnr(current);
	delivery->status = status;
	delivery->time = ktime_get_ns();
	INIT_LIST_HEAD(&delivery->in_stop);
	if (is_entry(delivery))
		delivery->entry = *regs;
	if (stop)
		list_add_tail(&delivery->in_stop, &stop->deliveries);
	list_add_tail(&delivery->in_tracer, &tracer->deliveries);
	if (is_ready(delivery))
		stop_tell(tracer);
	return true;
}

bool stop_event(struct registration *registration, struct pt_regs *regs, int status)
{
	struct tracee *tracee = registration->tracee;
	struct stop *stop = stop_of(current);

	if (registration->cancelled)
		return false;
	if (!listens(tracee->tracer, tracee, stop) &&
	    !(is_end(registration) && looks_at(tracee->tracer, tracee)))
		return false;
	if (!regs || is_end(registration))
		return deliver(registration, NULL, regs, status);
	if (!stop)
		stop = stop_new();
	if (!stop)
		return false;
	take_registers(stop, regs, registration->u.event);
	return deliver(registration, stop, regs, status);
}

bool stop_signal(struct registration *registration, int signal)
{
	if (!stop_event(registration, task_pt_regs(current), signal))
		return false;
	stop_of(current)->within = true;
	return true;
}

void stop_cancel(struct registration *registration)
{
	struct delivery *delivery, *next;

	registration->cancelled = true;
	list_for_each_entry_safe(delivery, next, &registration->tracee->tracer->deliveries,
				 in_tracer)
		if (delivery->registration == registration)
			delivery_free(delivery);
}

struct delivery *stop_find(struct tracer *tracer, pid_t tid)
{
	struct delivery *delivery;

	list_for_each_entry(delivery, &tracer->deliveries, in_tracer)
		if (delivery->returned && delivery->stop && delivery->tid == tid)
			return delivery;
	return NULL;
}

struct delivery *stop_find_of(struct tracer *tracer, pid_t who, pid_t tid)
{
	struct delivery *delivery, *found = NULL;

	list_for_each_entry(delivery, &tracer->deliveries, in_tracer)
		if (delivery->returned && delivery->stop &&
		    delivery->registration->tracee->who == who &&
		    (!found || delivery->tid == tid))
			found = delivery;
	return found;
}

static bool is_meant(const struct delivery *delivery, pid_t who)
{
	return !who || delivery->registration->tracee->who == who;
}

static struct delivery *find_ready(struct tracer *tracer, pid_t who)
{
	struct delivery *delivery;

	list_for_each_entry(delivery, &tracer->deliveries, in_tracer)
		if (is_ready(delivery) && is_meant(delivery, who))
			return delivery;
	return NULL;
}

static bool has_living(struct tracer *tracer, pid_t who)
{
	struct tracee *tracee;

	list_for_each_entry(tracee, &tracer->tracees, link)
		if (!tracee->dead && (!who || tracee->who == who))
			return true;
	return false;
}

int stop_missing(struct tracer *tracer)
{
	return list_empty(&tracer->tracees) || has_living(tracer, 0) ? -EBUSY : -ESRCH;
}

/* An event has occurred whose thread is on its way, or that POLL has not returned yet. */
static bool is_coming(struct tracer *tracer, pid_t who)
{
	struct delivery *delivery;

	list_for_each_entry(delivery, &tracer->deliveries, in_tracer)
		if (!delivery->returned && is_meant(delivery, who))
			return true;
	return false;
}

/* A tracee's death overtakes the event of the signal that killed it. */
static bool is_over(struct tracer *tracer, pid_t who)
{
	return !has_living(tracer, who) && !is_coming(tracer, who);
}

static void fill_in(struct trawl_uprobe *u, const struct delivery *delivery)
{
	*u = delivery->registration->u;
	u->tid = delivery->tid;
	u->status = delivery->status;
	u->time = delivery->time;
}

enum outcome { WAIT, RETURNED, NOBODY };

static enum outcome look(struct tracer *tracer, struct trawl_uprobe_poll *poll)
{
	enum outcome outcome = WAIT;
	struct delivery *delivery;

	spin_lock(&stops_lock);
	delivery = find_ready(tracer, poll->who);
	if (delivery) {
		fill_in(&poll->u, delivery);
		memset(&poll->regs, 0, sizeof(poll->regs));
		if (delivery->stop)
			khandler_registers(&poll->regs, stop_registers(delivery),
					   delivery->stop->task);
		delivery->returned = true;
		outcome = RETURNED;
	} else if (is_over(tracer, poll->who)) {
		outcome = NOBODY;
	}
	if (outcome != WAIT)
		tracer->listening = poll->flags & TRAWL_UPROBE_POLL_EVERY;
	spin_unlock(&stops_lock);
	return outcome;
}

/* POLL begins: what it returned before goes on. Returns tracer->changes as of now. */
static unsigned int begin(struct tracer *tracer, const struct trawl_uprobe_poll *poll)
{
	struct delivery *delivery, *next;
	unsigned int changes;

	spin_lock(&stops_lock);
	list_for_each_entry_safe(delivery, next, &tracer->deliveries, in_tracer)
		if (delivery->returned && is_meant(delivery, poll->who))
			delivery_free(delivery);
	tracer->listening = true;
	tracer->every = poll->flags & TRAWL_UPROBE_POLL_EVERY;
	tracer->listens_to = poll->who;
	changes = tracer->changes;
	spin_unlock(&stops_lock);
	return changes;
}

/* A thread is on its way to stop, and not asleep, as until the child of vfork() lets it go on. */
static bool is_near(struct tracer *tracer, pid_t who)
{
	struct delivery *delivery;

	list_for_each_entry(delivery, &tracer->deliveries, in_tracer)
		if (!delivery->returned && is_meant(delivery, who) && delivery->stop &&
		    task_is_running(delivery->stop->task))
			return true;
	return false;
}

/* The time is over. False if a thread is about to stop: its event has occurred in time. */
static bool end(struct tracer *tracer, const struct trawl_uprobe_poll *poll)
{
	bool over;

	spin_lock(&stops_lock);
	over = !is_near(tracer, poll->who);
	if (over)
		tracer->listening = poll->flags & (TRAWL_UPROBE_POLL_ARM | TRAWL_UPROBE_POLL_EVERY);
	spin_unlock(&stops_lock);
	return over;
}

static bool has_ended(struct tracer *tracer, pid_t who)
{
	bool over;

	spin_lock(&stops_lock);
	over = is_over(tracer, who);
	spin_unlock(&stops_lock);
	return over;
}

int stop_wait(struct tracer *tracer, struct trawl_uprobe_poll *poll)
{
	long left = poll->timeout < 0 ? MAX_SCHEDULE_TIMEOUT : msecs_to_jiffies(poll->timeout);
	unsigned int changes = begin(tracer, poll);
	u64 begun = ktime_get_mono_fast_ns();
	enum outcome outcome;

	/*
	 * What has occurred already is for the descriptor to tell, and for the POLL after that to
	 * return.
	 */
	if (poll->flags & TRAWL_UPROBE_POLL_ARM && !poll->timeout)
		return has_ended(tracer, poll->who) ? -ESRCH : 0;
	outcome = look(tracer, poll);
	while (left && outcome == WAIT && READ_ONCE(tracer->changes) == changes && may_spin(begun))
		cpu_relax();
	while (outcome == WAIT) {
		left = wait_event_interruptible_timeout(
			tracer->wait, (outcome = look(tracer, poll)) != WAIT, left);
		if (outcome != WAIT)
			break;
		if (left < 0)
			return -EINTR;
		if (end(tracer, poll))
			return 0;
		left = 1;
	}
	return outcome == RETURNED ? 1 : -ESRCH;
}

bool stop_ready(struct tracer *tracer)
{
	bool ready;

	spin_lock(&stops_lock);
	ready = find_ready(tracer, tracer->listens_to) || is_over(tracer, 0);
	spin_unlock(&stops_lock);
	return ready;
}
