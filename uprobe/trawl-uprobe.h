/* SPDX-License-Identifier: MIT */
/*
 * libtrawl-uprobe: a program stops another one at a place in its code, examines it, and lets it go
 * on. The manual page is uprobe_poll(3). The library needs the module trawl.ko; the caller must be
 * allowed to open its device /dev/trawl.
 *
 * The tracee is the process or thread that is traced; the tracer is the thread that calls these
 * functions, so that each thread of a program is a tracer of its own. When the tracer's thread
 * ends, its registrations end.
 *
 * Functions that return int return -1 and set errno on an error; uprobe_error() then describes it.
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
	/* What follows is not in the proposal that this interface implements: */
	UPEV_CLONE,		/* a new thread or process */
	UPEV_VFORK_DONE,	/* the child of vfork() has called exec or ended */
	UPEV_EXEC,		/* a new program, before its first instruction */
	UPEV_DEATH,		/* as UPEV_EXIT */
	/* before a system call: reported at once; the tracee stops after the call */
	UPEV_SYSCALL_ENTRY,
	UPEV_SYSCALL_EXIT,
	UPEV_SIGNAL		/* a signal is delivered */
};

struct uprobe {
	unsigned long id;	/* chosen by the caller: a number or a pointer */
	enum uprobe_event event;
	pid_t who;		/* id of a process, or of a thread other than its first */
	unsigned long where;	/* an address in it, for UPEV_BKPT and UPEV_FUNCRET */
	const char *khandler;	/* handler in the kernel; NULL: uprobe_poll() returns the event */
};

#define UPID_ALL (~0UL)		/* every id */

int uprobe_register(const struct uprobe *u);
int uprobe_unregister(pid_t pid, unsigned long id);
/*
 * uprobe_poll() - waits for an event for at most `timeout` ms (negative: without limit). Returns 1
 * with the event in *u, whose tracee is then stopped, or 0 when the time is over.
 */
int uprobe_poll(struct uprobe *u, int timeout);
int uprobe_detach(pid_t pid);
/*
 * uprobe_run_khandler() - data: a buffer of the khandler's own structure; trawl_uprobe.h has those
 * of the built-in ones.
 */
int uprobe_run_khandler(const char *khandler, struct uprobe *u, void *data);

/* What follows is not in the proposal. */

/*
 * uprobe_error() - why this thread's latest call failed: a string that is valid until its next
 * call.
 */
const char *uprobe_error(void);

struct uprobe_hit {
	pid_t tid;		/* the thread that stopped */
	/* exit: a wait status; clone: the child's id; signal, system call: its number */
	int status;
	unsigned long long time;	/* CLOCK_MONOTONIC, ns */
};
/*
 * uprobe_last_hit() - details of the event that uprobe_poll() returned last; zeros if there was
 * none.
 */
void uprobe_last_hit(struct uprobe_hit *hit);

/*
 * uprobe_record_branches() - records the last branches of all threads of a process from now on, for
 * the khandler "branches": with the processor's LBR, or else by single steps, which take about
 * a microsecond for each instruction.
 */
int uprobe_record_branches(pid_t pid);

/*
 * uprobe_several() - lets this tracer have several tracees from now on; uprobe_poll() waits for an
 * event of any of them.
 */
void uprobe_several(void);
/*
 * uprobe_every() - from the next uprobe_poll() on no event is missed: an event stops its thread
 * even if this tracer is not in uprobe_poll() at that moment. The threads of a tracee then wait
 * until their events have been polled.
 */
void uprobe_every(void);
/* uprobe_poll_of() - as uprobe_poll(), for the events of one of several tracees. */
int uprobe_poll_of(pid_t pid, struct uprobe *u, int timeout);

/*
 * uprobe_fd() - a descriptor for epoll(7), or -1; the library owns and closes it. uprobe_arm() lets
 * the stopped tracee go on and returns at once; when the descriptor becomes readable,
 * uprobe_poll(u, 0) returns the event.
 */
int uprobe_fd(void);
int uprobe_arm(void);

/*
 * Copy memory of a stopped thread. Return how many bytes were copied, fewer than `length` where the
 * memory ends, or -1.
 */
ssize_t uprobe_read(pid_t tid, unsigned long address, void *buffer, size_t length);
ssize_t uprobe_write(pid_t tid, unsigned long address, const void *buffer, size_t length);
int uprobe_get_registers(pid_t tid, struct user_regs_struct *registers);
/*
 * uprobe_set_registers() - writes the registers that differ from the thread's. The general
 * registers, rip and the arithmetic flags can be written, others (segments, orig_rax, other flags)
 * not.
 */
int uprobe_set_registers(pid_t tid, const struct user_regs_struct *registers);

#ifdef __cplusplus
}
#endif
#endif
