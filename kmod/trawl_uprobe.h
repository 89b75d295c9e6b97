/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * /dev/trawl: one task waits for events of another. Programs use libtrawl-uprobe
 * (uprobe/trawl-uprobe.h), which makes these requests. For what holds for every request (size,
 * flags, permission, namespaces) see trawl_uapi.h.
 *
 * An open file description is a tracer. A tracee is a process (`who` is its id: events of all its
 * threads) or one thread of it (`who` is the id of a thread that is not the first). Where an event
 * of a registration occurs, exactly one of these happens:
 * - the registration has a khandler: the module calls it, and the tracee goes on;
 * - the tracer is in TRAWL_UPROBE_POLL for this tracee (or was, with ARM or EVERY): the thread
 *   stops on its way to user space, and POLL returns the registration;
 * - otherwise the thread goes on.
 * A stopped thread goes on with the tracer's next POLL, with UNREGISTER or DETACH of what it
 * stopped for, and when the file is closed. If it stopped for several tracers or registrations, it
 * goes on when each has been returned and gone on in this way, or was cancelled. SIGKILL always
 * ends it.
 */
#ifndef TRAWL_KMOD_TRAWL_UPROBE_H
#define TRAWL_KMOD_TRAWL_UPROBE_H

#include <linux/ioctl.h>
#include <linux/types.h>

enum trawl_uprobe_event {
	TRAWL_UPEV_BKPT = 0,	/* the instruction at `where` is about to be executed */
	TRAWL_UPEV_FUNCRET = 1, /* the function that begins at `where` has returned */
	/* the tracee ends; it does not stop. status: as wait(2) has it */
	TRAWL_UPEV_EXIT = 2,
	TRAWL_UPEV_CLONE = 3, /* a new thread or process. status: its id */
	/* the child of vfork() has called exec or ended. status: its id */
	TRAWL_UPEV_VFORK_DONE = 4,
	TRAWL_UPEV_EXEC = 5,  /* a new program, before its first instruction */
	TRAWL_UPEV_DEATH = 6, /* as EXIT */
	/* status: its number. POLL returns it at once; the thread stops after the call */
	TRAWL_UPEV_SYSCALL_ENTRY = 7,
	TRAWL_UPEV_SYSCALL_EXIT = 8, /* status: its number; rax holds the result */
	/*
	 * a signal is delivered. status: its number; SIGKILL for most signals that kill without a
	 * core dump. The thread stops at signals that do not kill, and before one that it raised
	 * itself and that dumps core; at other signals that kill it does not stop.
	 */
	TRAWL_UPEV_SIGNAL = 9,
	TRAWL_UPEV_COUNT = 10,
};

#define TRAWL_KHANDLER_NAME	32	/* bytes, with the NUL */
#define TRAWL_UPID_ALL		(~0ull)

/* A registration. POLL fills in all fields. */
struct trawl_uprobe {
	/* chosen by the caller, unique for tracer and tracee; not TRAWL_UPID_ALL */
	__u64 id;
	__u64 where;		/* BKPT, FUNCRET: an address in the tracee; otherwise 0 */
	__s32 who;
	__u32 event;
	char khandler[TRAWL_KHANDLER_NAME];	/* "": none */
	__s32 tid;		/* out, POLL: the thread */
	__s32 status;		/* out, POLL: see enum trawl_uprobe_event */
	__u64 time;		/* out, POLL: CLOCK_MONOTONIC, ns */
};

/*
 * REGISTER. Errors: EINVAL: unknown event, the caller itself, or `where` is 0 or not in code of a
 * file; ESRCH: no such task; EPERM; EBUSY: with ONLY, if this tracer has another living tracee;
 * EEXIST: the id is in use; ENOENT: no such khandler; EOPNOTSUPP: a breakpoint cannot replace this
 * instruction; ENOMEM.
 * UNREGISTER: set `who` and `id`, which may be TRAWL_UPID_ALL. ENOENT: no such registration; ESRCH:
 * not a tracee of this tracer.
 * DETACH: set `who`; ends all its registrations.
 */
#define TRAWL_UPROBE_ONLY	(1u << 0)	/* of REGISTER: the tracer has one tracee */
struct trawl_uprobe_request {
	__u32 size;
	__u32 flags;		/* TRAWL_UPROBE_ONLY; otherwise 0 */
	struct trawl_uprobe u;
};

/* As struct user_regs_struct of <sys/user.h> in 64-bit programs. */
struct trawl_uprobe_registers {
	__u64 r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi, orig_rax,
		rip, cs, eflags, rsp, ss, fs_base, gs_base;
};

/*
 * POLL: the call returns 0, with returned = 0 when the time is over and returned = 1 with an event.
 * EINTR: a signal came; events that occur before the next POLL are kept for it. ESRCH: there is no
 * tracee, or all are dead.
 */
#define TRAWL_UPROBE_POLL_ARM                                                                      \
	(1u << 0) /* go on listening when the time is over: for epoll, timeout 0 */
#define TRAWL_UPROBE_POLL_EVERY	(1u << 1)	/* go on listening, whatever POLL returns */
struct trawl_uprobe_poll {
	__u32 size;
	__u32 flags;
	__s32 who;		/* 0: every tracee of this tracer */
	__s32 timeout;		/* ms; negative: for ever */
	__u32 returned;		/* out */
	__u32 pad;
	struct trawl_uprobe u;	/* out */
	struct trawl_uprobe_registers regs;	/* out: of the thread, if it stops */
};

/*
 * REGISTERS: reads the registers of the stopped thread `tid` as they were at its event. With SET it
 * writes those that differ, of the general registers, rip and the arithmetic flags; another cs, ss,
 * orig_rax or base, and a rip outside of user space, give EINVAL. EBUSY: the thread is not stopped
 * for this tracer, or goes on with other registers than those of its event: at SYSCALL_ENTRY, or in
 * a signal's handler. ESRCH: the tracer's tracees have ended.
 *
 * At a breakpoint an instruction that the kernel emulates (push, nop, call, jumps) has already had
 * its effect. Writing another rip undoes the instruction, except for what it has pushed below rsp,
 * and the thread goes on at that rip.
 */
#define TRAWL_UPROBE_SET	(1u << 0)
struct trawl_uprobe_regs {
	__u32 size;
	__u32 flags;		/* TRAWL_UPROBE_SET */
	__s32 tid;
	__u32 pad;
	struct trawl_uprobe_registers regs;
};

/*
 * MEMORY: reads or, with SET, writes memory of the stopped thread `tid`. done: how many bytes;
 * EFAULT where it would be 0.
 */
struct trawl_uprobe_memory {
	__u32 size;
	__u32 flags;		/* TRAWL_UPROBE_SET */
	__s32 tid;
	__u32 length;		/* bytes, at most 1 MiB */
	__u64 address;		/* in the tracee */
	__u64 buffer;		/* in the caller */
	__u32 done;		/* out */
	__u32 pad;
};

/*
 * RUN: runs a khandler. If `u` names a registration (who, id) with that khandler, `data` receives
 * what the handler has gathered there; otherwise the handler runs once for the stopped thread of
 * u.who (thread u.tid if that is one). ENOENT: no such khandler. EINVAL: data_size is neither 0 nor
 * the size of the handler's data; 0 means that the caller's buffer has that size. EBUSY: no such
 * registration and no stopped thread. ESRCH: the tracee has ended; what the handler gathered at the
 * registration is in `data` nevertheless.
 */
struct trawl_uprobe_run {
	__u32 size;
	__u32 flags;		/* 0 */
	struct trawl_uprobe u;	/* in, out; u.khandler is the handler */
	__u64 data;
	__u32 data_size;
	__u32 pad;
};

/*
 * LIST: the names of the khandlers, each followed by a newline. ERANGE: the buffer is too short;
 * `used` is how many bytes are needed.
 */
struct trawl_uprobe_list {
	__u32 size;
	__u32 flags;		/* 0 */
	__u64 buffer;
	__u32 length;
	__u32 used;		/* out */
};

/* What the built-in khandlers gather; except for the counts, of the newest hit. */
struct trawl_kh_count {		/* "count" */
	__u64 hits, first_time, last_time;
};

struct trawl_kh_registers {	/* "registers" */
	__u64 hits;
	struct trawl_uprobe_registers regs;
};

#define TRAWL_KH_STACK_BYTES	256
struct trawl_kh_stack {		/* "stack": the bytes at rsp */
	__u64 hits, rsp;
	__u32 length, pad;	/* bytes that could be read */
	__u8 bytes[TRAWL_KH_STACK_BYTES];
};

#define TRAWL_KH_USTACK_DEPTH	64
struct trawl_kh_ustack {	/* "ustack": the callers, by frame pointers */
	__u64 hits;
	__u32 depth, pad;
	__u64 ip[TRAWL_KH_USTACK_DEPTH];
};

/*
 * "branches": the last branches of a task that this file records in form LBR (TRAWL_IOC_ENABLE);
 * depth is -1 where it does not. Branches of a processor's LBR are available at a hit, but not for
 * a thread that is stopped.
 */
#define TRAWL_KH_BRANCHES	32
struct trawl_kh_branches {
	__u64 hits;
	__s32 depth;		/* how many there are, oldest first */
	__u32 pad;
	struct {
		__u64 from, to;
	} branch[TRAWL_KH_BRANCHES];
};

#define TRAWL_UPROBE_MAGIC	0xd7	/* as TRAWL_IOC_MAGIC */
#define TRAWL_UPROBE_FIRST	64
#define TRAWL_UPROBE_REGISTER	_IOWR(TRAWL_UPROBE_MAGIC, 64, struct trawl_uprobe_request)
#define TRAWL_UPROBE_UNREGISTER	_IOWR(TRAWL_UPROBE_MAGIC, 65, struct trawl_uprobe_request)
#define TRAWL_UPROBE_DETACH	_IOWR(TRAWL_UPROBE_MAGIC, 66, struct trawl_uprobe_request)
#define TRAWL_UPROBE_POLL	_IOWR(TRAWL_UPROBE_MAGIC, 67, struct trawl_uprobe_poll)
#define TRAWL_UPROBE_REGISTERS	_IOWR(TRAWL_UPROBE_MAGIC, 68, struct trawl_uprobe_regs)
#define TRAWL_UPROBE_MEMORY	_IOWR(TRAWL_UPROBE_MAGIC, 69, struct trawl_uprobe_memory)
#define TRAWL_UPROBE_RUN	_IOWR(TRAWL_UPROBE_MAGIC, 70, struct trawl_uprobe_run)
#define TRAWL_UPROBE_LIST	_IOWR(TRAWL_UPROBE_MAGIC, 71, struct trawl_uprobe_list)

#endif
