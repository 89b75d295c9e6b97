// SPDX-License-Identifier: GPL-2.0-only
/*
 * The events other than BKPT and FUNCRET. They come from tracepoints, which are looked up by name
 * and connected while a registration needs them. Their handlers run for every task of the machine
 * and must not sleep.
 */
#include "kmod/tracer.h"
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/tracepoint.h>
#include <asm/syscall.h>
#include "kmod/compat.h"
#include "kmod/permit.h"

static LIST_HEAD(tracees);
static struct list_head watched[TRAWL_UPEV_COUNT];

static void happened(enum trawl_uprobe_event event, int status)
{
	struct registration *registration;
	unsigned long flags;

	spin_lock_irqsave(&stops_lock, flags);
	list_for_each_entry(registration, &watched[event], watch)
		if (tracee_has(registration->tracee, current))
			registration_event_locked(registration, task_pt_regs(current), status);
	spin_unlock_irqrestore(&stops_lock, flags);
}

static void on_newtask(COMPAT_NEWTASK_ARGUMENTS)
{
	happened(TRAWL_UPEV_CLONE, task_pid_vnr(task));
	if (clone_flags & CLONE_VFORK)
		happened(TRAWL_UPEV_VFORK_DONE, task_pid_vnr(task));
}

static void bar(struct task_struct *task)
{
	struct tracee *tracee;
	unsigned long flags;

	spin_lock_irqsave(&stops_lock, flags);
	list_for_each_entry(tracee, &tracees, all)
		if (tracee_has(tracee, task))
			stop_bar(tracee);
	spin_unlock_irqrestore(&stops_lock, flags);
}

static void on_exec(void *data, struct task_struct *task, pid_t old_pid, struct linux_binprm *bprm)
{
	if (permit_program(bprm))
		happened(TRAWL_UPEV_EXEC, 0);
	else
		bar(task);
}

static void on_syscall_enter(void *data, struct pt_regs *regs, long number)
{
	happened(TRAWL_UPEV_SYSCALL_ENTRY, number);
}

static void on_syscall_exit(void *data, struct pt_regs *regs, long result)
{
	happened(TRAWL_UPEV_SYSCALL_EXIT, syscall_get_nr(current, regs));
}

static bool is_fatal(int signal, const struct k_sigaction *action)
{
	return action->sa.sa_handler == SIG_DFL && !sig_kernel_ignore(signal) &&
	       !sig_kernel_stop(signal);
}

/* A signal that kills: the thread does not return to user space any more. */
static void on_fatal(struct registration *registration, int signal)
{
	bool notified = registration->notified_task == current &&
			registration->notified_signal == signal;

	registration->notified_task = NULL;
	if (registration->khandler)
		registration_event_locked(registration, task_pt_regs(current), signal);
	else if (!notified)
		stop_event(registration, NULL, signal);
}

static void on_signal(void *data, int signal, struct kernel_siginfo *info,
		      struct k_sigaction *action)
{
	bool fatal = signal == SIGKILL || is_fatal(signal, action);
	struct registration *registration;
	unsigned long flags;

	if (!fatal) {
		happened(TRAWL_UPEV_SIGNAL, signal);
		return;
	}
	spin_lock_irqsave(&stops_lock, flags);
	list_for_each_entry(registration, &watched[TRAWL_UPEV_SIGNAL], watch)
		if (tracee_has(registration->tracee, current))
			on_fatal(registration, signal);
	spin_unlock_irqrestore(&stops_lock, flags);
}

/*
 * A signal that dumps core, such as that of a bad access or of abort(3), is raised by the thread
 * that it kills: the thread is stopped before it takes the signal, as it cannot stop later. If a
 * debugger takes the signal away, the tracer is notified at its delivery. Interrupts raise signals,
 * too, but stops_lock must not be taken in them.
 */
static void on_generate(void *data, int signal, struct kernel_siginfo *info,
			struct task_struct *task, int group, int result)
{
	struct registration *registration;
	struct sighand_struct *sighand;
	unsigned long flags;

	/* The sender holds its lock. */
	sighand = rcu_dereference_protected(task->sighand, true);
	if (!in_task() || task != current || task->ptrace || result ||
	    !sig_kernel_coredump(signal) || sigismember(&task->blocked, signal) ||
	    stopped_elsewhere(task) || !is_fatal(signal, &sighand->action[signal - 1]))
		return;
	spin_lock_irqsave(&stops_lock, flags);
	list_for_each_entry(registration, &watched[TRAWL_UPEV_SIGNAL], watch)
		if (!registration->khandler && tracee_has(registration->tracee, current) &&
		    stop_signal(registration, signal)) {
			registration->notified_task = current;
			registration->notified_signal = signal;
		}
	spin_unlock_irqrestore(&stops_lock, flags);
}

/* The status as wait(2) returns it, of the process if all of it ends. */
static int status_of(const struct tracee *tracee, struct task_struct *task)
{
	if (tracee->process && task->signal->flags & SIGNAL_GROUP_EXIT)
		return task->signal->group_exit_code;
	return tracee->process ? task->group_leader->exit_code : task->exit_code;
}

static void on_exit(COMPAT_EXIT_ARGUMENTS)
{
	bool last = !atomic_read(&task->signal->live);
	struct registration *registration;
	struct tracee *tracee;
	unsigned long flags;

	spin_lock_irqsave(&stops_lock, flags);
	list_for_each_entry(tracee, &tracees, all) {
		if (!tracee_has(tracee, task) || (tracee->process && !last))
			continue;
		tracee->dead = true;
		list_for_each_entry(registration, &tracee->registrations, link) {
			if (registration->u.event == TRAWL_UPEV_EXIT ||
			    registration->u.event == TRAWL_UPEV_DEATH)
				registration_event_locked(registration, task_pt_regs(task),
							  status_of(tracee, task));
		}
		stop_notify(tracee->tracer);
	}
	spin_unlock_irqrestore(&stops_lock, flags);
}

enum point { NEWTASK, EXEC, SYS_ENTER, SYS_EXIT, SIGNAL, GENERATE, EXIT };

static struct {
	const char *name;
	void *probe;
	struct tracepoint *tp;
	int users;
} points[] = {
	[NEWTASK] = { "task_newtask", on_newtask },
	[EXEC] = { "sched_process_exec", on_exec },
	[SYS_ENTER] = { "sys_enter", on_syscall_enter },
	[SYS_EXIT] = { "sys_exit", on_syscall_exit },
	[SIGNAL] = { "signal_deliver", on_signal },
	[GENERATE] = { "signal_generate", on_generate },
	[EXIT] = { "sched_process_exit", on_exit },
};

static const signed char point_of[TRAWL_UPEV_COUNT] = {
	[TRAWL_UPEV_BKPT] = -1,		     [TRAWL_UPEV_FUNCRET] = -1,
	[TRAWL_UPEV_EXIT] = -1,		     [TRAWL_UPEV_DEATH] = -1,
	[TRAWL_UPEV_CLONE] = NEWTASK,	     [TRAWL_UPEV_VFORK_DONE] = NEWTASK,
	[TRAWL_UPEV_EXEC] = EXEC,	     [TRAWL_UPEV_SYSCALL_ENTRY] = SYS_ENTER,
	[TRAWL_UPEV_SYSCALL_EXIT] = SYS_EXIT, [TRAWL_UPEV_SIGNAL] = SIGNAL,
};

static DEFINE_MUTEX(points_mutex);

static void look_up(struct tracepoint *tp, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(points); i++)
		if (!strcmp(points[i].name, tp->name))
			points[i].tp = tp;
}

static int connect(enum point point)
{
	int status = 0;

	mutex_lock(&points_mutex);
	if (!points[point].tp)
		for_each_kernel_tracepoint(look_up, NULL);
	if (!points[point].tp)
		status = -ENOENT;
	else if (!points[point].users)
		status = tracepoint_probe_register(points[point].tp, points[point].probe, NULL);
	if (!status)
		points[point].users++;
	mutex_unlock(&points_mutex);
	return status;
}

static void disconnect(enum point point)
{
	mutex_lock(&points_mutex);
	if (!--points[point].users) {
		tracepoint_probe_unregister(points[point].tp, points[point].probe, NULL);
		tracepoint_synchronize_unregister();
	}
	mutex_unlock(&points_mutex);
}

int lifecycle_watch(struct registration *registration)
{
	int point = point_of[registration->u.event], status;

	if (point < 0)
		return 0;
	status = connect(point);
	if (!status && point == SIGNAL) {
		status = connect(GENERATE);
		if (status)
			disconnect(SIGNAL);
	}
	if (status)
		return status;
	spin_lock_irq(&stops_lock);
	list_add_tail(&registration->watch, &watched[registration->u.event]);
	spin_unlock_irq(&stops_lock);
	return 0;
}

void lifecycle_unwatch(struct registration *registration)
{
	if (list_empty(&registration->watch))
		return;
	spin_lock_irq(&stops_lock);
	list_del_init(&registration->watch);
	spin_unlock_irq(&stops_lock);
	disconnect(point_of[registration->u.event]);
	if (registration->u.event == TRAWL_UPEV_SIGNAL)
		disconnect(GENERATE);
}

int lifecycle_add(struct tracee *tracee)
{
	int status = connect(EXIT);

	if (status)
		return status;
	status = connect(EXEC);
	if (status) {
		disconnect(EXIT);
		return status;
	}
	spin_lock_irq(&stops_lock);
	list_add_tail(&tracee->all, &tracees);
	spin_unlock_irq(&stops_lock);
	return 0;
}

void lifecycle_remove(struct tracee *tracee)
{
	spin_lock_irq(&stops_lock);
	list_del(&tracee->all);
	spin_unlock_irq(&stops_lock);
	disconnect(EXEC);
	disconnect(EXIT);
}

void lifecycle_init(void)
{
	int i;

	for (i = 0; i < TRAWL_UPEV_COUNT; i++)
		INIT_LIST_HEAD(&watched[i]);
}
