// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread never waits where an event occurs: a handler of a uprobe that sleeps would delay
 * everybody who adds or removes a uprobe. The handler instead queues a task work, which the thread
 * executes on its way back to user space; there it waits, and SIGKILL ends the wait. By then the
 * kernel has prepared or emulated the instruction at a breakpoint: the tracer sees the registers as
 * the handler saw them.
 *
 * A tracer that only reads a few registers lets the thread go on after a microsecond, and the next
 * event may follow as soon. Two switches of tasks would then be most of the cost of a stop: where
 * the tracer and the thread each have a CPU to themselves, each polls for the other for up to
 * SPIN_NS before it sleeps.
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
/* Number of queued task works that have not finished. */
static atomic_t works;
static DECLARE_WAIT_QUEUE_HEAD(works_done);

/* In ns: longer than a stop takes on a slow machine, too short to matter as load. */
#define SPIN_NS		50000

/*
 * Whether to go on polling since `begun` (ns): nobody else wants this CPU, and the task has nothing
 * else to do.
 */
static bool may_spin(u64 begun)
{
	return num_online_cpus() > 1 && single_task_running() && !need_resched() &&
	       !signal_pending(current) && ktime_get_mono_fast_ns() - begun < SPIN_NS;
}

/* Wakes the tracer's POLL. Called with stops_lock held. */
void stop_notify(struct tracer *tracer)
{
	WRITE_ONCE(tracer->changes, tracer->changes + 1);
	if (wq_has_sleeper(&tracer->wait))
		/* Sync: the caller is about to sleep, so that the tracer may take over its CPU. */
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

/*
 * Whether POLL may return it: POLL has not returned it yet, and its thread has stopped or does not
 * have to.
 */
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
			/*
			 * Sync: the caller of POLL is about to sleep, so that the thread may take
			 * over its CPU.
			 */
			__wake_up_sync(&delivery->stop->resume, TASK_NORMAL);
	}
	kfree(delivery);
}

static struct tracer *tracer_of(const struct delivery *delivery)
{
	return delivery->registration->tracee->tracer;
}

/*
 * Detaches the delivery from its stop: no thread stops for it any more. POLL still returns the
 * delivery if it has not yet.
 */
static void detach(struct delivery *delivery)
{
	list_del_init(&delivery->in_stop);
	delivery->stop = NULL;
}

/* Lets the thread go on. */
static void stop_release(struct stop *stop)
{
	struct delivery *delivery, *next;

	list_for_each_entry_safe(delivery, next, &stop->deliveries, in_stop) {
		detach(delivery);
		stop_notify(tracer_of(delivery));
	}
	list_del(&stop->link);
}

/* Task work: runs on the way to user space, or when the task exits. */
static void wait_for_tracers(struct callback_head *work)
{
	struct stop *stop = container_of(work, struct stop, work);
	struct delivery *delivery;
	u64 begun = ktime_get_mono_fast_ns();

	khandler_save_bases(); /* the tracer may read them before the thread is switched out */
	spin_lock_irq(&stops_lock);
	stopped_begin(stop);
	stop->stopped = true;
	list_for_each_entry(delivery, &stop->deliveries, in_stop)
		stop_notify(tracer_of(delivery));
	spin_unlock_irq(&stops_lock);

	if (!(current->flags & PF_EXITING)) {
		while (!list_empty_careful(&stop->deliveries) && may_spin(begun))
			cpu_relax();
		wait_event_state(stop->resume, list_empty_careful(&stop->deliveries),
				 (TASK_KILLABLE | TASK_FREEZABLE));
	}

	spin_lock_irq(&stops_lock);
	stop_release(stop);
	stopped_end(stop);
	spin_unlock_irq(&stops_lock);
	kfree(stop);
	if (atomic_dec_and_test(&works))
		wake_up_all(&works_done);
}

void stops_end(void)
{
	wait_event(works_done, !atomic_read(&works));
	/* A thread may still execute the last instructions of wait_for_tracers(). */
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
 * Takes the registers of this event, the latest before the thread stops. Exceptions: an event after
 * a breakpoint comes after the breakpoint's instruction, and an event after a function's return is
 * the system call that the kernel makes for the return.
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

/*
 * Whether the tracer listens to the tracee; one that already has a delivery of this stop did listen
 * when the stop began.
 */
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

/*
 * Whether POLL has returned an event of this tracee, whose thread the tracer examines; the thread
 * may have been killed since.
 */
static bool looks_at(const struct tracer *tracer, const struct tracee *tracee)
{
	const struct delivery *delivery;

	list_for_each_entry(delivery, &tracer->deliveries, in_tracer)
		if (delivery->returned && delivery->registration->tracee == tracee)
			return true;
	return false;
}

/*
 * Whether this event comes after the last point at which the thread could stop: its tracee has
 * ended.
 */
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
		stop_notify(tracer);
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

void stop_bar(struct tracee *tracee)
{
	struct delivery *delivery;

	WRITE_ONCE(tracee->barred, true);
	tracee->dead = true;
	list_for_each_entry(delivery, &tracee->tracer->deliveries, in_tracer)
		if (delivery->stop && delivery->registration->tracee == tracee)
			detach(delivery);
	stop_notify(tracee->tracer);
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

/*
 * Whether an event has occurred that POLL has not returned yet, or whose thread is still on its way
 * to stop.
 */
static bool is_coming(struct tracer *tracer, pid_t who)
{
	struct delivery *delivery;

	list_for_each_entry(delivery, &tracer->deliveries, in_tracer)
		if (!delivery->returned && is_meant(delivery, who))
			return true;
	return false;
}

/*
 * Whether nothing more can come. The death of a tracee may be seen before the event of the signal
 * that killed it, so that is waited for.
 */
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

	spin_lock_irq(&stops_lock);
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
	spin_unlock_irq(&stops_lock);
	return outcome;
}

/*
 * Begins a POLL: threads whose events the previous one returned go on. Returns the present value of
 * tracer->changes.
 */
static unsigned int begin(struct tracer *tracer, const struct trawl_uprobe_poll *poll)
{
	struct delivery *delivery, *next;
	unsigned int changes;

	spin_lock_irq(&stops_lock);
	list_for_each_entry_safe(delivery, next, &tracer->deliveries, in_tracer)
		if (delivery->returned && is_meant(delivery, poll->who))
			delivery_free(delivery);
	tracer->listening = true;
	tracer->every = poll->flags & TRAWL_UPROBE_POLL_EVERY;
	tracer->listens_to = poll->who;
	changes = tracer->changes;
	spin_unlock_irq(&stops_lock);
	return changes;
}

/*
 * Whether a thread is on its way to stop and does not sleep, as it does in vfork() until the child
 * lets it go on.
 */
static bool is_near(struct tracer *tracer, pid_t who)
{
	struct delivery *delivery;

	list_for_each_entry(delivery, &tracer->deliveries, in_tracer)
		if (!delivery->returned && is_meant(delivery, who) && delivery->stop &&
		    task_is_running(delivery->stop->task))
			return true;
	return false;
}

/*
 * Ends a POLL whose time is over. False if a thread is about to stop: its event occurred in time.
 */
static bool end(struct tracer *tracer, const struct trawl_uprobe_poll *poll)
{
	bool over;

	spin_lock_irq(&stops_lock);
	over = !is_near(tracer, poll->who);
	if (over)
		tracer->listening = poll->flags & (TRAWL_UPROBE_POLL_ARM | TRAWL_UPROBE_POLL_EVERY);
	spin_unlock_irq(&stops_lock);
	return over;
}

static bool has_ended(struct tracer *tracer, pid_t who)
{
	bool over;

	spin_lock_irq(&stops_lock);
	over = is_over(tracer, who);
	spin_unlock_irq(&stops_lock);
	return over;
}

int stop_wait(struct tracer *tracer, struct trawl_uprobe_poll *poll)
{
	long left = poll->timeout < 0 ? MAX_SCHEDULE_TIMEOUT : msecs_to_jiffies(poll->timeout);
	unsigned int changes = begin(tracer, poll);
	u64 begun = ktime_get_mono_fast_ns();
	enum outcome outcome;

	/*
	 * With ARM and no timeout POLL returns no event: the descriptor becomes readable, and the
	 * next POLL returns what has occurred.
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

	spin_lock_irq(&stops_lock);
	ready = find_ready(tracer, tracer->listens_to) || is_over(tracer, 0);
	spin_unlock_irq(&stops_lock);
	return ready;
}
