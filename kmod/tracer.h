/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracers, tracees and registrations of trawl_uprobe.h: their lifetime (tracer.c), how a thread
 * stops for them (stop.c), where events come from (breakpoint.c, lifecycle.c) and what is done with
 * a stopped thread (stopped.c).
 *
 *	listening	a registered event of a tracee of this tracer stops its thread
 *
 *	      POLL               the time is over,
 *	  ┌──────────► listening ─────────────────► not listening
 *	  │                │ a delivery is returned ──────► not listening
 *	  │                │ EINTR, ARM, EVERY ──────► listening
 *
 * A delivery is one event for one registration. It is made while the thread is still on its way to
 * stop; it is ready when the thread has stopped (at SYSCALL_ENTRY at once, as the call may take for
 * ever); POLL returns it; the next POLL removes it, or its cancellation does.
 */
#ifndef TRAWL_KMOD_TRACER_H
#define TRAWL_KMOD_TRACER_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/task_work.h>
#include <linux/uprobes.h>
#include <linux/wait.h>
#include "kmod/trawl_uprobe.h"

struct khandler;
struct session;

struct tracer {
	struct session *session;	/* the session it belongs to */
	struct mutex mutex;		/* one request at a time, except POLL */
	struct list_head tracees;	/* under stops_lock */
	struct list_head deliveries;	/* under stops_lock, in the order of their events */
	wait_queue_head_t wait;		/* of POLL and poll() */
	/* counts changes that POLL must look at; written under stops_lock */
	unsigned int changes;
	bool listening;			/* under stops_lock */
	/* under stops_lock: listens to every tracee, whatever listens_to says */
	bool every;
	u32 registrations;		/* how many */
	pid_t listens_to;		/* `who` of the latest POLL; 0: every tracee */
};

struct tracee {
	struct list_head link;		/* in tracer->tracees */
	struct list_head all;		/* list of the tracees of all tracers */
	struct list_head registrations;	/* under stops_lock */
	struct tracer *tracer;
	struct pid *pid;
	pid_t who;			/* the id in the tracer's namespace */
	/* all threads of a process; otherwise one that is not the first */
	bool process;
	bool dead;			/* it has ended, or is barred; under stops_lock */
	/* it executes a program that its tracer may not watch: it has no more events */
	bool barred;
};

struct registration {
	struct list_head link;		/* in its tracee */
	/* list of the registrations of the same event in lifecycle.c */
	struct list_head watch;
	struct tracee *tracee;
	struct trawl_uprobe u;
	bool cancelled;			/* under stops_lock: no more deliveries are made */
	/*
	 * SIGNAL: the task and the signal of which the tracer was notified before its delivery;
	 * under stops_lock
	 */
	const struct task_struct *notified_task;
	int notified_signal;
	struct khandler *khandler;	/* NULL: none */
	spinlock_t data_lock;
	void *data;			/* what the khandler gathers */
	struct mm_struct *mm;		/* the memory that `where` is an address in */
	struct inode *inode;
	loff_t offset;
	struct uprobe *uprobe;
	bool set;			/* the uprobe has been registered */
	struct uprobe_consumer consumer;
};

struct delivery {
	struct list_head in_tracer;
	struct list_head in_stop;	/* in stop->deliveries; empty: no thread stops for it */
	struct registration *registration;
	struct stop *stop;		/* NULL: no thread stops for it */
	pid_t tid;
	int status;
	u64 time;
	bool returned;
	/* registers at SYSCALL_ENTRY, whose thread stops after the call */
	struct pt_regs entry;
};

/* A thread that stops; shared by all deliveries made until the thread goes on. */
struct stop {
	struct list_head link;
	struct callback_head work;
	struct task_struct *task;
	struct list_head deliveries;
	wait_queue_head_t resume;
	/*
	 * The registers that tracers see and write: those at the event, and at a breakpoint those
	 * before its instruction.
	 */
	struct pt_regs regs;
	unsigned long ip;		/* regs.ip as at the event */
	bool breakpoint;		/* the event was BKPT */
	bool returning;			/* the event was FUNCRET */
	/* the latest event occurred within a system call, before its result */
	bool within;
	bool stopped;
	/* the task goes on with other registers than these: see stopped_begin() */
	bool moved;
};

/*
 * Protects tracers' lists and flags, and stops. It is taken in tracepoints, some of which hold a
 * siglock, which interrupts take, too: so it is taken with interrupts off.
 */
extern spinlock_t stops_lock;

struct tracer *tracer_new(struct session *session);
/* tracer_close() - lets every thread that is stopped for it go on, and frees it. Sleeps. */
void tracer_close(struct tracer *tracer);
long tracer_ioctl(struct tracer *tracer, struct file *file, unsigned int command,
		  unsigned long argument);
/* tracer_poll() - for poll(2): EPOLLIN where POLL would return an event at once. */
__poll_t tracer_poll(struct tracer *tracer, struct file *file, poll_table *table);

/* tracee_has() - whether the task belongs to the tracee, which is not barred. */
bool tracee_has(const struct tracee *tracee, struct task_struct *task);
/*
 * registration_event() - handles an event of the current task: calls the registration's khandler,
 * or stops the thread for the tracer if that listens, or does nothing. regs: of user space; at a
 * breakpoint as before its instruction. Never sleeps.
 */
void registration_event(struct registration *registration, struct pt_regs *regs, int status);
/* registration_event_locked() - the same, under stops_lock. */
void registration_event_locked(struct registration *registration, struct pt_regs *regs, int status);

/* The functions from stop_notify() to stop_missing() are called with stops_lock held. */
/* stop_notify() - wakes this tracer's POLL after a change. */
void stop_notify(struct tracer *tracer);
/*
 * stop_event() - stops the thread for a registration without khandler if its tracer listens;
 * returns whether it does. regs NULL: the thread can no longer stop, and the tracer is only
 * notified.
 */
bool stop_event(struct registration *registration, struct pt_regs *regs, int status);
/*
 * stop_signal() - as stop_event(), for a signal that the thread has raised itself, before the
 * thread takes it.
 */
bool stop_signal(struct registration *registration, int signal);
/* stop_cancel() - removes all deliveries of this registration; none will be made. */
void stop_cancel(struct registration *registration);
/*
 * stop_bar() - ends the tracee for its tracer, when an exec gave it privileges that the tracer
 * lacks: no thread of it stops any more, and POLL says that it is dead.
 */
void stop_bar(struct tracee *tracee);
/*
 * stop_find() - the delivery for which this thread is stopped and that POLL has returned to this
 * tracer; or NULL.
 */
struct delivery *stop_find(struct tracer *tracer, pid_t tid);
/*
 * stop_find_of() - the same for a thread of tracee `who`: thread `tid` if that is stopped,
 * otherwise any.
 */
struct delivery *stop_find_of(struct tracer *tracer, pid_t who, pid_t tid);
/* stop_registers() - the registers that the tracer sees in a delivery whose thread stops. */
const struct pt_regs *stop_registers(const struct delivery *delivery);
/*
 * stop_missing() - the error where no thread is stopped: -ESRCH if all tracees have ended,
 * otherwise -EBUSY.
 */
int stop_missing(struct tracer *tracer);

/*
 * stop_wait() - POLL: returns 1 with the event in poll->u, 0 when the time is over, -EINTR or
 * -ESRCH.
 */
int stop_wait(struct tracer *tracer, struct trawl_uprobe_poll *poll);
/* stop_ready() - whether POLL would return an event at once. */
bool stop_ready(struct tracer *tracer);
/* stops_end() - waits until no thread executes this code any more. */
void stops_end(void);

/*
 * breakpoint_set() - sets the uprobe of a BKPT or FUNCRET. Returns 0, -EINVAL where no file's code
 * is mapped at `where`, or another error of uprobe_register().
 */
int breakpoint_set(struct registration *registration, struct task_struct *task);
void breakpoint_clear(struct registration *registration);

/*
 * lifecycle_watch() - connects the tracepoint of another event. Returns 0, or -ENOENT where the
 * kernel lacks it. lifecycle_unwatch() takes that back, and may be called without it. Both sleep.
 */
int lifecycle_watch(struct registration *registration);
void lifecycle_unwatch(struct registration *registration);
/*
 * lifecycle_add() - from now on the tracee's death is seen, and an exec that bars it.
 * lifecycle_remove() takes that back.
 */
void lifecycle_init(void);
int lifecycle_add(struct tracee *tracee);
void lifecycle_remove(struct tracee *tracee);

/*
 * stopped_begin() - called when the current task is about to wait. stopped_end() - when it goes on,
 * with the registers that its tracers wrote.
 */
void stopped_begin(struct stop *stop);
/*
 * stopped_elsewhere() - whether the task executes the kernel's copy of the instruction at a
 * breakpoint.
 */
bool stopped_elsewhere(const struct task_struct *task);
void stopped_end(struct stop *stop);
long stopped_registers(struct tracer *tracer, struct trawl_uprobe_regs *request);
long stopped_memory(struct tracer *tracer, struct trawl_uprobe_memory *request);
/*
 * stopped_run() - runs a khandler for a stopped thread. Returns 0, or -EBUSY if the thread is not
 * stopped.
 */
long stopped_run(struct tracer *tracer, struct khandler *handler, struct trawl_uprobe *u,
		 void *data);

#endif
