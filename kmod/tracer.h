/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracers, tracees and registrations of trawl_uprobe.h: what they are (tracer.c), how a thread
 * stops for them (stop.c), which events they come from (breakpoint.c, lifecycle.c) and what is done
 * with a stopped thread (stopped.c).
 *
 *	listening	a registered event of a tracee of this tracer stops its thread
 *
 *	      POLL               the time is over,
 *	  ┌──────────► listening ─────────────────► not listening
 *	  │                │ a delivery is returned ──────► not listening
 *	  │                │ EINTR, ARM, EVERY ──────► listening
 *
 * A delivery is one event for one registration. It is collected while its thread is still on its
 * way, ready when that has stopped (at SYSCALL_ENTRY at once: the call may take for ever), returned
 * by POLL, and gone with the next POLL or when it is cancelled.
 */
#ifndef KMOD_TRACER_H
#define KMOD_TRACER_H

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
	struct session *session;	/* whose it is */
	struct mutex mutex;		/* one request at a time, but POLL */
	struct list_head tracees;	/* under stops_lock */
	struct list_head deliveries;	/* under stops_lock, in the order of their events */
	wait_queue_head_t wait;		/* of POLL and poll() */
	/* how often there was something new for POLL; written under stops_lock */
	unsigned int changes;
	bool listening;			/* under stops_lock */
	/* under stops_lock: to every tracee, whatever listens_to says */
	bool every;
	u32 registrations;		/* how many */
	pid_t listens_to;		/* `who` of the latest POLL; 0: every tracee */
};

struct tracee {
	struct list_head link;		/* in its tracer */
	struct list_head all;		/* with those of all tracers */
	struct list_head registrations;	/* under stops_lock */
	struct tracer *tracer;
	struct pid *pid;
	pid_t who;			/* as the tracer says it */
	bool process;			/* all threads; otherwise one that is not the first */
	bool dead;
};

struct registration {
	struct list_head link;		/* in its tracee */
	/* with others that wait for the same event of lifecycle.c */
	struct list_head watch;
	struct tracee *tracee;
	struct trawl_uprobe u;
	bool cancelled;			/* under stops_lock: no delivery is made any more */
	/* SIGNAL: of whom, and which, the tracer was told before it is delivered; under
	 * stops_lock */
	const struct task_struct *told_of;
	int told;
	struct khandler *khandler;	/* NULL: none */
	spinlock_t data_lock;
	void *data;			/* of the khandler */
	struct mm_struct *mm;		/* whose memory `where` lies in */
	struct inode *inode;
	loff_t offset;
	struct uprobe *uprobe;
	bool set;			/* the uprobe is there */
	struct uprobe_consumer consumer;
};

struct delivery {
	struct list_head in_tracer;
	struct list_head in_stop;	/* empty: no thread stops for it */
	struct registration *registration;
	struct stop *stop;		/* NULL: no thread stops for it */
	pid_t tid;
	int status;
	u64 time;
	bool returned;
	struct pt_regs entry;		/* of SYSCALL_ENTRY, whose thread stops after the call */
};

/* A thread that stops: one for all who have a delivery of this moment. */
struct stop {
	struct list_head link;
	struct callback_head work;
	struct task_struct *task;
	struct list_head deliveries;
	wait_queue_head_t resume;
	/*
	 * What the tracers see and write: as at the event, and at a breakpoint as before its
	 * instruction.
	 */
	struct pt_regs regs;
	unsigned long ip;		/* regs.ip as at the event */
	bool breakpoint;		/* the event was BKPT */
	bool returning;			/* the event was FUNCRET */
	/* the latest event was within a system call, before its result */
	bool within;
	bool stopped;
	/* the task goes on with other registers: see stopped_begin() */
	bool moved;
};

/* Protects tracers' lists and flags, and stops. Taken in tracepoints: nobody sleeps with it. */
extern spinlock_t stops_lock;

struct tracer *tracer_new(struct session *session);
/* tracer_close() - every thread that is stopped for it goes on; nothing of it is left. Sleeps. */
void tracer_close(struct tracer *tracer);
long tracer_ioctl(struct tracer *tracer, struct file *file, unsigned int command,
		  unsigned long argument);
/* tracer_poll() - for poll(2): EPOLLIN where POLL would return an event at once. */
__poll_t tracer_poll(struct tracer *tracer, struct file *file, poll_table *table);

/* tracee_has() - whether an event of this task is one of the tracee's. */
bool tracee_has(const struct tracee *tracee, struct task_struct *task);
/*
 * registration_event() - an event of the current task: calls its khandler, or stops the thread for
 * its tracer, or does nothing. regs: of user code, as before the instruction at a breakpoint. Never
 * sleeps.
 */
void registration_event(struct registration *registration, struct pt_regs *regs, int status);
/* registration_event_locked() - the same, under stops_lock. */
void registration_event_locked(struct registration *registration, struct pt_regs *regs, int status);

/* All under stops_lock: */
/* stop_tell() - POLL of this tracer has something new to look at. */
void stop_tell(struct tracer *tracer);
/*
 * stop_event() - the thread stops for a registration without khandler, if its tracer listens, which
 * is returned. regs NULL: the tracer is told, but the thread is past the point where it can stop.
 */
bool stop_event(struct registration *registration, struct pt_regs *regs, int status);
/* stop_signal() - the same, before the thread takes a signal that it has raised itself. */
bool stop_signal(struct registration *registration, int signal);
/* stop_cancel() - no delivery of this registration is left, and none will be made. */
void stop_cancel(struct registration *registration);
/* stop_find() - for what this thread stops, if POLL has returned that to this tracer; or NULL. */
struct delivery *stop_find(struct tracer *tracer, pid_t tid);
/* stop_find_of() - the same for a thread of tracee `who`, this one if it is stopped. */
struct delivery *stop_find_of(struct tracer *tracer, pid_t who, pid_t tid);
/* stop_registers() - what the tracer sees of a delivery whose thread stops. */
const struct pt_regs *stop_registers(const struct delivery *delivery);
/* stop_missing() - why there is none: -ESRCH where all tracees have ended, otherwise -EBUSY. */
int stop_missing(struct tracer *tracer);

/* stop_wait() - POLL: 1 and poll->u, 0, -EINTR, -ESRCH. */
int stop_wait(struct tracer *tracer, struct trawl_uprobe_poll *poll);
/* stop_ready() - whether POLL would return an event at once. */
bool stop_ready(struct tracer *tracer);
/* stops_end() - waits until no thread is in this code. */
void stops_end(void);

/* breakpoint_set() - for BKPT and FUNCRET. -EINVAL where there is no code of a file. */
int breakpoint_set(struct registration *registration, struct task_struct *task);
void breakpoint_clear(struct registration *registration);

/*
 * lifecycle_watch() - for the other events; and the death of the registration's tracee, for all. 0,
 * -ENOENT where the kernel lacks a tracepoint. lifecycle_unwatch() may be called without it. Both
 * sleep.
 */
int lifecycle_watch(struct registration *registration);
void lifecycle_unwatch(struct registration *registration);
/* lifecycle_add() - the tracee's death will be seen. lifecycle_remove() undoes it. */
void lifecycle_init(void);
int lifecycle_add(struct tracee *tracee);
void lifecycle_remove(struct tracee *tracee);

/*
 * stopped_begin() - the current task is about to wait. stopped_end() - it goes on, where its
 * tracers have said.
 */
void stopped_begin(struct stop *stop);
/* stopped_elsewhere() - whether the kernel executes a copy of the instruction at a breakpoint. */
bool stopped_elsewhere(const struct task_struct *task);
void stopped_end(struct stop *stop);
long stopped_registers(struct tracer *tracer, struct trawl_uprobe_regs *request);
long stopped_memory(struct tracer *tracer, struct trawl_uprobe_memory *request);
/* stopped_run() - runs a khandler for a stopped thread. -EBUSY: it isn't. */
long stopped_run(struct tracer *tracer, struct khandler *handler, struct trawl_uprobe *u,
		 void *data);

#endif
