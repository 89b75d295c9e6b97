/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * /dev/trawl: events of a task that another one waits for. Programs use libtrawl-uprobe
 * (uprobe/trawl-uprobe.h); this is what is below it. trawl_uapi.h says what holds for every
 * request: size, flags, permission, namespaces.
 *
 * An open file description is a tracer. A tracee is a process (`who` is its id: events of all its
 * threads) or one thread of it (`who` is the id of a thread that is not the first). Where an event
 * of a registration occurs, exactly one of these happens:
 *	- it has a khandler: that is called, and the tracee goes on;
 *	- the tracer is in TRAWL_UPROBE_POLL for this tracee (or was, with ARM or EVERY): the thread
 *	  stops on its way to user space, and POLL returns the registration;
 *	- otherwise the thread goes on.
 * A stopped thread goes on with the tracer's next POLL, with UNREGISTER or DETACH of what it
 * stopped for, and when the file is closed; with several tracers or registrations, when each has
 * been delivered and gone on or was cancelled. SIGKILL always ends it.
 */
#ifndef TRAWL_UPROBE_UAPI_H
#define TRAWL_UPROBE_UAPI_H

#include <linux/ioctl.h>
#include <linux/types.h>

enum trawl_uprobe_event {
	TRAWL_UPEV_BKPT = 0,	/* the instruction at `where` is about to be executed */
	TRAWL_UPEV_FUNCRET = 1, /* the function that begins at `where` has returned */
	/* the tracee ends. It doesn't stop. status: as wait(2) has it */
	TRAWL_UPEV_EXIT = 2,
	TRAWL_UPEV_CLONE = 3, /* a new thread or process. status: its id */
	/* the child of vfork() has let the tracee go on. status: its id */
	TRAWL_UPEV_VFORK_DONE = 4,
	TRAWL_UPEV_EXEC = 5,  /* a new program, before its first instruction */
	TRAWL_UPEV_DEATH = 6, /* as EXIT */
	/* status: its number. POLL returns it at once; the thread stops after the call */
	TRAWL_UPEV_SYSCALL_ENTRY = 7,
	TRAWL_UPEV_SYSCALL_EXIT = 8, /* status: its number; rax holds the result */
	/*
	 * a signal is delivered. status: its number; SIGKILL for most that kill without a core
	 * dump. The thread stops, also before one that dumps core and that it raised itself; not
	 * for any other that kills
	 */
	TRAWL_UPEV_SIGNAL = 9,
	TRAWL_UPEV_COUNT = 10,
};

#define TRAWL_KHANDLER_NAME	32	/* with its NUL */
#define TRAWL_UPID_ALL		(~0ull)

/* A registration; POLL fills in all of it. */
struct trawl_uprobe {
	__u64 id;		/* the caller's; one a tracer and tracee, not TRAWL_UPID_ALL */
	__u64 where;		/* BKPT, FUNCRET: an address in the tracee; otherwise 0 */
	__s32 who;
	__u32 event;
	char khandler[TRAWL_KHANDLER_NAME];	/* "": none */
	__s32 tid;		/* out, POLL: the thread */
	__s32 status;		/* out, POLL: see enum trawl_uprobe_event */
	__u64 time;		/* out, POLL: CLOCK_MONOTONIC, ns */
};

/*
 * REGISTER. Errors: EINVAL unknown event, the caller itself, where 0 or not in code of a file;
 * ESRCH no such task; EPERM; EBUSY with ONLY, where this tracer has another tracee that lives;
 * EEXIST the id is in use; ENOENT no such khandler; EOPNOTSUPP an instruction that no breakpoint
 * can replace; ENOMEM.
 * UNREGISTER: `who` and `id`, which may be TRAWL_UPID_ALL. ENOENT; ESRCH no tracee of this tracer.
 * DETACH: `who`; all its registrations.
 */
#define TRAWL_UPROBE_ONLY	(1u << 0)	/* of REGISTER: one tracee */
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
 * POLL: 0 and returned = 0 when the time is over, returned = 1 with an event. EINTR: a signal;
 * events that occur before the next POLL are kept for it. ESRCH: no tracee, or all are dead.
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
 * REGISTERS of the stopped thread `tid`, as they were at its event. With SET those of the general
 * ones, rip and the arithmetic flags are written that differ; another cs, ss, orig_rax or base, and
 * a rip outside of user space, are EINVAL. EBUSY: the thread isn't stopped for this tracer, or goes
 * on with other registers than those of its event: at SYSCALL_ENTRY, in a signal's handler. ESRCH:
 * its tracees have ended.
 *
 * At a breakpoint an instruction that the kernel emulates (push, nop, call, jumps) has had its
 * effect already. Another rip takes the instruction back, but for what it has pushed below rsp: the
 * thread goes on there.
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
 * MEMORY of the stopped thread `tid`: reads, or with SET writes. done: bytes; EFAULT where it would
 * be 0.
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
 * RUN a khandler. If `u` names a registration (who, id) with that khandler, `data` becomes what the
 * handler has gathered there; otherwise it runs once for the stopped thread of u.who (u.tid, if it
 * is that).
 * ENOENT: no such khandler; EINVAL: data_size is not the handler's; EBUSY: neither. ESRCH: the
 * tracee has ended; what the handler gathered at the registration is in `data` all the same.
 * data_size 0: the caller's data is as long as the handler's.
 */
struct trawl_uprobe_run {
	__u32 size;
	__u32 flags;		/* 0 */
	struct trawl_uprobe u;	/* in, out; u.khandler is the handler */
	__u64 data;
	__u32 data_size;
	__u32 pad;
};

/* LIST: the names of khandlers, each ended by a newline. ERANGE: `used` bytes are needed. */
struct trawl_uprobe_list {
	__u32 size;
	__u32 flags;		/* 0 */
	__u64 buffer;
	__u32 length;
	__u32 used;		/* out */
};

/* What the built-in khandlers gather; the newest hit is kept. */
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
 * "branches": the last branches of a task that TRAWL_IOC_ENABLE of this file records in form LBR
 * (depth: -1 where it doesn't). Of a processor's LBR they are there at a hit, not for a thread that
 * is stopped.
 */
#define TRAWL_KH_BRANCHES	32
struct trawl_kh_branches {
	__u64 hits;
	__s32 depth;		/* how many there are, the oldest first */
	__u32 pad;
	struct {
		__u64 from, to;
	} branch[TRAWL_KH_BRANCHES];
};

#define TRAWL_UPROBE_FIRST	64
#define TRAWL_UPROBE_REGISTER	_IOWR(0xd7, 64, struct trawl_uprobe_request)
#define TRAWL_UPROBE_UNREGISTER	_IOWR(0xd7, 65, struct trawl_uprobe_request)
#define TRAWL_UPROBE_DETACH	_IOWR(0xd7, 66, struct trawl_uprobe_request)
#define TRAWL_UPROBE_POLL	_IOWR(0xd7, 67, struct trawl_uprobe_poll)
#define TRAWL_UPROBE_REGISTERS	_IOWR(0xd7, 68, struct trawl_uprobe_regs)
#define TRAWL_UPROBE_MEMORY	_IOWR(0xd7, 69, struct trawl_uprobe_memory)
#define TRAWL_UPROBE_RUN	_IOWR(0xd7, 70, struct trawl_uprobe_run)
#define TRAWL_UPROBE_LIST	_IOWR(0xd7, 71, struct trawl_uprobe_list)

#endif
