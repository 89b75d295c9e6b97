// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scheduler calls on_switch() with a runqueue lock held and interrupts off; on_fork(),
 * on_exit() and the others must not sleep either. None of these functions allocates memory in a way
 * that may wait, calls printk(), or touches user memory except by copy_*_nofault().
 */
#include "kmod/hooks.h"
#include <linux/irq_work.h>
#include <linux/kdebug.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched/signal.h>
#include <linux/tracepoint.h>
#include "kmod/compat.h"
#include "kmod/permit.h"
#include "kmod/step.h"
#include "kmod/task.h"

enum { EXIT_64 = 60, EXIT_GROUP_64 = 231, EXIT_32 = 1, EXIT_GROUP_32 = 252 };

/* Asks the task to have perf try its event again. */
static void retry_lbr(struct irq_work *work)
{
	struct traced *t;

	rcu_read_lock();
	t = traced_find(current);
	if (t && traced_lbr_given_up(t))
		step_lbr_off(t);
	rcu_read_unlock();
}

/* task_work_add() may allocate memory, which is not allowed under the runqueue lock. */
static DEFINE_PER_CPU(struct irq_work, retries);

static void on_switch(void *data, bool preempt, struct task_struct *prev, struct task_struct *next,
		      unsigned int prev_state)
{
	struct traced *t;

	rcu_read_lock();
	t = traced_find(prev);
	/*
	 * perf frees the event of an exiting task before the task ends: do not read the LBR then.
	 */
	if (t && !(prev->flags & PF_EXITING))
		traced_keep(t);
	t = traced_find(next);
	if (t) {
		step_switched_in(t, next);
		if (traced_lbr_given_up(t))
			irq_work_queue(this_cpu_ptr(&retries));
	}
	rcu_read_unlock();
}

/* Keeps the current task's branches before it may be killed. */
static void keep_now(struct traced *t)
{
	unsigned long flags;

	local_irq_save(flags);
	traced_keep(t);
	local_irq_restore(flags);
}

static void on_syscall_enter(void *data, struct pt_regs *regs, long number)
{
	bool wide = user_64bit_mode(regs);
	struct traced *t;

	if (wide ? number != EXIT_64 && number != EXIT_GROUP_64
		 : number != EXIT_32 && number != EXIT_GROUP_32)
		return;
	rcu_read_lock();
	t = traced_find(current);
	if (t)
		keep_now(t);
	rcu_read_unlock();
}

static void on_syscall_exit(void *data, struct pt_regs *regs, long result)
{
	struct traced *t;

	rcu_read_lock();
	t = traced_find(current);
	if (t)
		step_syscall_exit(t, regs);
	rcu_read_unlock();
}

static void on_signal(void *data, int signal, struct kernel_siginfo *info,
		      struct k_sigaction *action)
{
	struct traced *t;

	rcu_read_lock();
	t = traced_find(current);
	if (t) {
		keep_now(t);
		step_signal(t, signal);
	}
	rcu_read_unlock();
}

static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct traced *t, *new;

	rcu_read_lock();
	t = traced_find(parent);
	if (t) {
		step_fork(t, child);
		new = traced_fork(t, child);
		if (new)
			step_begin(new, child);
	}
	rcu_read_unlock();
}

static void on_exec(void *data, struct task_struct *task, pid_t old_pid, struct linux_binprm *bprm)
{
	struct traced *t;

	rcu_read_lock();
	t = traced_find(task);
	if (t) {
		if (!permit_program(bprm))
			traced_stop(t);
		step_exec(t);
		traced_exec(t);
	}
	rcu_read_unlock();
}

static void on_exit(COMPAT_EXIT_ARGUMENTS)
{
	struct traced *t;

	rcu_read_lock();
	t = traced_find(task);
	if (t)
		traced_exit(t, task->exit_code);
	rcu_read_unlock();
}

static struct {
	const char *name;
	void *probe;
	struct tracepoint *tp;
} points[] = {
	{ "sched_switch", on_switch },
	{ "sys_enter", on_syscall_enter },
	{ "sys_exit", on_syscall_exit },
	{ "signal_deliver", on_signal },
	{ "sched_process_fork", on_fork },
	{ "sched_process_exec", on_exec },
	{ "sched_process_exit", on_exit },
};

static int on_exception(struct notifier_block *block, unsigned long what, void *data)
{
	struct die_args *args = data;
	struct traced *t;

	if ((what != DIE_DEBUG && what != DIE_INT3) || !args->regs || !user_mode(args->regs))
		return NOTIFY_DONE;
	/* Notifiers are called under rcu_read_lock(), which traced_find() needs. */
	t = traced_find(current);
	if (!t)
		return NOTIFY_DONE;
	if (what == DIE_DEBUG && traced_has_lbr(t))
		step_lbr_off(t);
	if (what == DIE_DEBUG)
		return step_debug(t, args->regs, (unsigned long *)args->err);
	step_breakpoint(t, args->regs);
	return NOTIFY_DONE;
}

/* Called before the handler of uprobes, which would take the trap flag for the program's own. */
static struct notifier_block exceptions = { .notifier_call = on_exception, .priority = INT_MAX };

static DEFINE_MUTEX(mutex);
static unsigned int users;
static bool started;

static void look_up(struct tracepoint *tp, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(points); i++)
		if (!strcmp(points[i].name, tp->name))
			points[i].tp = tp;
}

static void unregister(int count)
{
	int cpu;

	while (count--)
		tracepoint_probe_unregister(points[count].tp, points[count].probe, NULL);
	tracepoint_synchronize_unregister();
	for_each_possible_cpu(cpu)
		irq_work_sync(per_cpu_ptr(&retries, cpu));
}

static int start(void)
{
	int i, status;

	/* Not by an initializer: the kernel relocates no pointers in a module's per-CPU data. */
	for_each_possible_cpu(i)
		*per_cpu_ptr(&retries, i) = IRQ_WORK_INIT_HARD(retry_lbr);
	for_each_kernel_tracepoint(look_up, NULL);
	for (i = 0; i < ARRAY_SIZE(points); i++) {
		status = points[i].tp
			? tracepoint_probe_register(points[i].tp, points[i].probe, NULL)
			: -ENOENT;
		if (status) {
			unregister(i);
			return status;
		}
	}
	status = register_die_notifier(&exceptions);
	if (status)
		unregister(i);
	return status;
}

int hooks_start(void)
{
	int status = 0;

	mutex_lock(&mutex);
	if (!started)
		status = start();
	started = !status;
	users += started;
	mutex_unlock(&mutex);
	return status;
}

static void stop_unused(void)
{
	if (started && !users && tasks_empty()) {
		unregister(ARRAY_SIZE(points));
		unregister_die_notifier(&exceptions);
		started = false;
	}
}

void hooks_stop(void)
{
	mutex_lock(&mutex);
	users--;
	stop_unused();
	mutex_unlock(&mutex);
}

void hooks_exit(void)
{
	mutex_lock(&mutex);
	tasks_take_all(step_disarm);
	stop_unused();
	mutex_unlock(&mutex);
}
