/* SPDX-License-Identifier: MIT */
/*
 * libtrawl-uprobe: a program stops another one at a place in its code, looks, and lets it go on.
 * uprobe_poll(3) is its manual. It needs the module trawl.ko, whose device /dev/trawl the caller
 * may open.
 *
 * The tracee is the task that is traced, the tracer the thread that calls these functions; each
 * thread is a tracer of its own. What a tracer has registered ends with it.
 *
 * Functions that return int return -1 on an error, with errno; uprobe_error() then says it in
 * words.
 */
#ifndef TRAWL_UPROBE_H
#define TRAWL_UPROBE_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/user.h>

#ifdef __cplusplus
extern "C" {
#endif

enum uprobe_event {
	UPEV_BKPT,		/* the instruction at `where` is about to be executed */
	UPEV_FUNCRET,		/* the function that begins at `where` has returned */
	UPEV_EXIT,		/* the tracee has ended; it does not stop */
	/* Beyond the proposal: */
	UPEV_CLONE,		/* a new thread or process */
	UPEV_VFORK_DONE,	/* the child of vfork() let the tracee go on */
	UPEV_EXEC,		/* a new program, before its first instruction */
	UPEV_DEATH,		/* as UPEV_EXIT */
	UPEV_SYSCALL_ENTRY,	/* a system call, told at once; the tracee stops after it */
	UPEV_SYSCALL_EXIT,
	UPEV_SIGNAL		/* a signal is delivered */
};

struct uprobe {
	unsigned long id;	/* the caller's: a number or a pointer */
	enum uprobe_event event;
	pid_t who;		/* a process, or one thread that is not its first */
	unsigned long where;	/* an address in it, for UPEV_BKPT and UPEV_FUNCRET */
	const char *khandler;	/* NULL: the tracer is told */
};

#define UPID_ALL (~0UL)		/* every id */

int uprobe_register(const struct uprobe *u);
int uprobe_unregister(pid_t pid, unsigned long id);
/*
 * uprobe_poll() - 1 and *u, whose tracee is stopped; 0 when timeout ms are over (negative: never).
 */
int uprobe_poll(struct uprobe *u, int timeout);
int uprobe_detach(pid_t pid);
/*
 * uprobe_run_khandler() - data: as the khandler has it; trawl_uprobe.h has those of the built-in
 * ones.
 */
int uprobe_run_khandler(const char *khandler, struct uprobe *u, void *data);

/* What follows is beyond the proposal. */

/* uprobe_error() - why the thread's latest call failed. Valid until its next one. */
const char *uprobe_error(void);

struct uprobe_hit {
	pid_t tid;		/* the thread that stopped */
	/* wait status of an end, id of a child, number of a signal or system call */
	int status;
	unsigned long long time;	/* CLOCK_MONOTONIC, ns */
};
/* uprobe_last_hit() - more of what uprobe_poll() returned last. */
void uprobe_last_hit(struct uprobe_hit *hit);

/*
 * uprobe_record_branches() - the last branches of all threads of a process are kept from now on,
 * for the khandler "branches": by the processor's LBR, or else by single steps, which slow it down
 * a hundredfold.
 */
int uprobe_record_branches(pid_t pid);

/*
 * uprobe_several() - this tracer may have several tracees from now on; uprobe_poll() waits for all
 * of them.
 */
void uprobe_several(void);
/*
 * uprobe_every() - from the next poll on no event is missed: it stops its thread whether this
 * tracer is in uprobe_poll() then or not. The threads of a tracee wait for each other's polls.
 */
void uprobe_every(void);
/* uprobe_poll_of() - uprobe_poll() for one of several. */
int uprobe_poll_of(pid_t pid, struct uprobe *u, int timeout);

/*
 * uprobe_fd() - a descriptor for epoll(7), or -1. uprobe_arm() lets the stopped tracee go on and
 * returns at once; when the descriptor is readable, uprobe_poll(u, 0) returns the event.
 */
int uprobe_fd(void);
int uprobe_arm(void);

/* Of a stopped thread. Bytes that were copied, or -1. */
ssize_t uprobe_read(pid_t tid, unsigned long address, void *buffer, size_t length);
ssize_t uprobe_write(pid_t tid, unsigned long address, const void *buffer, size_t length);
int uprobe_get_registers(pid_t tid, struct user_regs_struct *registers);
/*
 * uprobe_set_registers() - those that differ; not segments, orig_rax and the flags that are not
 * arithmetic.
 */
int uprobe_set_registers(pid_t tid, const struct user_regs_struct *registers);

#ifdef __cplusplus
}
#endif
#endif
