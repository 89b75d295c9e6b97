/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * /dev/trawl: the interface of trawl.ko to user space.
 *
 * Every request begins with its size in bytes and with flags. If a request is longer than the
 * module's structure, its rest must be zero; if it is shorter, the missing bytes count as zeros.
 * Unknown flags, and padding that is not zero, give EINVAL. All fields have the same offsets in
 * 32-bit programs; pointers are __u64. The same device also takes the requests of
 * kmod/trawl_libiht.h.
 *
 * State belongs to an open file description: close() of its last descriptor ends its tracing.
 *
 * Process ids are those of the pid namespace of the program that opened the device. Permission is
 * checked with the credentials of that open(), as ptrace(2) checks an attach: the ids of the target
 * must be the opener's and the target dumpable, or the opener has CAP_SYS_PTRACE in the target's
 * user namespace. open() itself needs CAP_PERFMON (or CAP_SYS_ADMIN), and fails with EPERM where
 * kernel lockdown forbids perf.
 */
#ifndef TRAWL_UAPI_H
#define TRAWL_UAPI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define TRAWL_DEVICE	"/dev/trawl"
/*
 * Incremented when a request, a kind of record or a flag is added; what existed keeps its meaning.
 */
#define TRAWL_ABI	2

/*
 * Which branches are recorded: bits as in LBR_SELECT of the Intel manual. A set bit suppresses.
 * Branches in kernel code are never delivered; with TRAWL_NO_RING0 clear, entries into the kernel
 * and returns from it are (TRAWL_KIND_SYSCALL, TRAWL_KIND_SYSRET), with TRAWL_KERNEL_ADDRESS in
 * place of addresses in the kernel.
 */
#define TRAWL_NO_RING0		(1u << 0)	/* CPL_EQ_0: branches that end in ring 0, and
						 * those from it */
#define TRAWL_NO_USER		(1u << 1)	/* CPL_NEQ_0: branches that end in ring 3 */
#define TRAWL_NO_JCC		(1u << 2)
#define TRAWL_NO_REL_CALL	(1u << 3)
#define TRAWL_NO_IND_CALL	(1u << 4)
#define TRAWL_NO_RET		(1u << 5)
#define TRAWL_NO_IND_JMP	(1u << 6)
#define TRAWL_NO_REL_JMP	(1u << 7)
#define TRAWL_NO_FAR		(1u << 8)
#define TRAWL_SELECT_MASK	0x1ffu
#define TRAWL_SELECT_DEFAULT	TRAWL_NO_RING0
#define TRAWL_KERNEL_ADDRESS	(~0ull)

/* Branch trace store: bits of IA32_DEBUGCTL. Others give EINVAL. */
#define TRAWL_BTS_TR		(1u << 6)	/* without it nothing is recorded */
#define TRAWL_BTS_BTS		(1u << 7)	/* without it nothing is stored */
/* stop when full, and wake poll() at the threshold; without it the newest overwrite the oldest */
#define TRAWL_BTS_BTINT		(1u << 8)
#define TRAWL_BTS_OFF_OS	(1u << 9)	/* as TRAWL_NO_RING0 */
#define TRAWL_BTS_OFF_USR	(1u << 10)	/* as TRAWL_NO_USER */
#define TRAWL_BTS_MASK		0x7c0u
#define TRAWL_BTS_DEFAULT	(TRAWL_BTS_TR | TRAWL_BTS_BTS | TRAWL_BTS_OFF_OS)
#define TRAWL_BTS_RECORD	24u		/* bytes of a record in the BTS form */
#define TRAWL_BTS_SIZE_DEFAULT	(1024u * TRAWL_BTS_RECORD)
#define TRAWL_BTS_SIZE_MAX	(2796202u * TRAWL_BTS_RECORD)	/* 64 MiB */

/* Where records go. A file may have each form once on a task. */
enum trawl_form {
	/*
	 * The last `depth` branches of each task, none from before an exec or a gap; read by
	 * TRAWL_IOC_DUMP.
	 */
	TRAWL_FORM_LBR = 1,
	TRAWL_FORM_BTS = 2,	/* a buffer for each task; read by TRAWL_IOC_DUMP */
	TRAWL_FORM_STREAM = 3,	/* the file's ring, for all tasks: TRAWL_IOC_RING first */
};

/* Who finds the branches. */
enum trawl_provider {
	TRAWL_PROVIDER_AUTO = 0,
	/*
	 * An event of perf owns the LBR; the module reads it, and empties it at an exec and
	 * after another event had it. Serves form LBR, and the branches at probes. In form STREAM,
	 * only if asked for by name: the last branches whenever a task leaves its CPU, gets a
	 * signal or ends.
	 */
	TRAWL_PROVIDER_LBR = 1,
	/* The module single-steps the task. Serves every form, on every x86-64 processor. */
	TRAWL_PROVIDER_STEP = 2,
	/* Hardware BTS: never usable from the module (TRAWL_WHY_USE_PERF). */
	TRAWL_PROVIDER_BTS = 3,
	TRAWL_PROVIDERS = 4,
};

/* Why a provider cannot be used. TRAWL_IOC_PROVIDER also returns a sentence for each. */
enum trawl_why {
	TRAWL_WHY_USABLE = 0,
	TRAWL_WHY_NO_HARDWARE = 1,	/* the processor has none, or the hypervisor hides it */
	TRAWL_WHY_UNKNOWN_FORMAT = 2,	/* an LBR format that this module doesn't know */
	TRAWL_WHY_NO_PERF = 3,		/* perf has no driver for this processor's counters */
	TRAWL_WHY_BUSY = 4,		/* perf gave the LBR to somebody else */
	TRAWL_WHY_USE_PERF = 5,		/* perf offers it without a module: use trawl's perf-bts */
	TRAWL_WHY_FORM = 6,		/* this provider can't serve the form that was asked for */
	TRAWL_WHY_SELF_TEST = 7,	/* the registers answer, but don't record branches */
};

/*
 * TRAWL_IOC_PROVIDER: set size, flags = 0 and provider (1 to TRAWL_PROVIDERS - 1; others give
 * ENOENT). Names: "lbr", "step", "bts".
 */
struct trawl_provider_info {
	__u32 size;
	__u32 flags;
	__u32 provider;
	__u32 why;		/* out: enum trawl_why */
	__u32 forms;		/* out: bit 1 << enum trawl_form for each that it serves */
	__u32 depth;		/* out: LBR entries, 0 where unlimited or unusable */
	__u32 abi;		/* out: TRAWL_ABI of the module */
	__u32 pad;
	char name[16];		/* out */
	char reason[128];	/* out: "" or one sentence, NUL-terminated */
};

#define TRAWL_ENABLE_THREAD	(1u << 0)	/* only the thread `pid`, not its whole process */
#define TRAWL_ENABLE_ALONE	(1u << 1)	/* don't follow new threads and children */
/*
 * Recording begins in the task's next exec: what a child of fork executes before it starts the
 * program is not recorded. The task must not gain privileges in that exec.
 */
#define TRAWL_ENABLE_ON_EXEC	(1u << 2)
#define TRAWL_ENABLE_FLAGS	7u

/*
 * TRAWL_IOC_ENABLE: traces a process, all of its threads, and those that they create from now on.
 * A task that is asleep in the kernel begins when it goes back to user space.
 * Errors: ESRCH no such task, or it is exiting; EPERM no permission, or a kernel thread; EEXIST
 * this file has that form on that task already; EOPNOTSUPP the provider can't (`why` is filled in);
 * EINVAL; ENXIO form STREAM without a ring; ENOMEM; EBUSY only for TRAWL_WHY_BUSY.
 * TRAWL_IOC_CONFIG: the same request, for the process (or, with TRAWL_ENABLE_THREAD, thread) `pid`
 * that is being traced: select, bts_control, bts_size, bts_threshold of it are replaced; a new
 * bts_size discards what was recorded. ENOENT where that form isn't enabled there.
 */
struct trawl_enable {
	__u32 size;
	__u32 flags;		/* TRAWL_ENABLE_* */
	__s32 pid;		/* 0: the caller */
	__u32 form;		/* enum trawl_form */
	__u32 provider;		/* in: enum trawl_provider; out: the one chosen */
	__u32 depth;		/* form LBR: in: 0 (32) or 1 to 1024; out: what it is */
	__u64 select;		/* forms LBR and STREAM: TRAWL_NO_*, used as it is: 0 suppresses
				 * nothing */
	__u64 bts_control;	/* form BTS: TRAWL_BTS_*, used as it is; 0 records nothing */
	__u64 bts_size;		/* form BTS: bytes, a multiple of 24 up to TRAWL_BTS_SIZE_MAX; 0:
				 * default */
	__u64 bts_threshold;	/* form BTS: bytes at which poll() wakes (BTINT); 0: 15/16 of the
				 * size */
	__u32 tasks;		/* out: how many tasks are traced now */
	__u32 why[TRAWL_PROVIDERS];	/* out: enum trawl_why for each provider; [AUTO] is 0 */
	__u32 pad;
};

/*
 * TRAWL_IOC_DISABLE: ends a form on the process (or thread) `pid`; its children go on. In forms LBR
 * and BTS what was recorded is discarded; in form STREAM it stays in the ring. ENOENT: not enabled
 * there.
 */
#define TRAWL_DISABLE_THREAD	(1u << 0)
#define TRAWL_DISABLE_ALL	(1u << 1)	/* every task of this file; pid must be 0 */
#define TRAWL_DISABLE_FLAGS	3u
struct trawl_disable {
	__u32 size;
	__u32 flags;
	__s32 pid;
	__u32 form;
};

/*
 * TRAWL_IOC_DUMP: copies what the task (thread) `pid` recorded in form LBR or BTS, oldest first, as
 * struct trawl_branch. A task that exited can be dumped until DISABLE or close(), the newest
 * TRAWL_DEAD_MAX of them. ENOENT: not enabled there.
 */
/*
 * What was copied is removed, so that BTINT records again. By provider LBR nothing is: the
 * processor keeps its last branches.
 */
#define TRAWL_DUMP_CLEAR	(1u << 0)
#define TRAWL_DUMP_FLAGS	1u
#define TRAWL_DEAD_MAX		256
struct trawl_dump {
	__u32 size;
	__u32 flags;
	__s32 pid;
	__u32 form;
	__u64 records;		/* address of an array; NULL only counts */
	__u32 capacity;		/* its length in records; if too short, the newest are copied */
	__u32 count;		/* out: how many there are */
	/*
	 * out: records overwritten, without room, cleared but not copied, or (form LBR) from
	 * before an exec or a gap, since ENABLE; by provider LBR the entries not copied now
	 */
	__u64 lost;
	__u32 state;		/* out: enum trawl_task_state */
	__u32 provider;		/* out */
};

/*
 *	ARMED --(the task is in user space)--> TRACED
 *	ARMED, TRACED --(it exits)-----------> EXITED
 *	ARMED, TRACED --(set-uid exec)-------> STOPPED
 */
enum trawl_task_state {
	TRAWL_TASK_ARMED = 0,	/* not yet back in user space since ENABLE */
	TRAWL_TASK_TRACED = 1,
	TRAWL_TASK_EXITED = 2,
	/* tracing ended before the task did: it gained privileges by exec */
	TRAWL_TASK_STOPPED = 3,
};

/*
 * TRAWL_IOC_RING: makes the file's ring, once, before the first ENABLE of form STREAM (EEXIST
 * afterwards). Then mmap(NULL, mmap_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0): struct
 * trawl_ring is at offset 0; the records are at offset data_offset, record n at index n % records.
 *
 * Without a flag a record that finds no room is lost. The module then puts a TRAWL_KIND_LOST in
 * front of the next record that finds room.
 */
#define TRAWL_RING_OVERWRITE	(1u << 0)	/* the oldest are overwritten instead */
/*
 * Tasks wait for the reader, on their way back to user space, when less than 1/4 of the ring is
 * free; SIGKILL ends the wait. The process that opened the file never waits, as it would wait for
 * itself: its records are lost instead.
 */
#define TRAWL_RING_BLOCK	(1u << 1)
#define TRAWL_RING_FLAGS	3u
#define TRAWL_RING_MIN		1024u
#define TRAWL_RING_MAX		(1u << 25)	/* records: 1 GiB */
struct trawl_ring_setup {
	__u32 size;
	__u32 flags;
	__u32 records;		/* a power of two from TRAWL_RING_MIN to TRAWL_RING_MAX */
	__u32 wakeup;		/* poll() says POLLIN when so many are unread; 0: half of the
				 * ring */
	__u64 mmap_bytes;	/* out */
	__u64 data_offset;	/* out */
};

/*
 * The first page of the mapping. The module reads only `tail` from it. Positions count records
 * since the ring was made and never wrap.
 *	reader:	head = load-acquire(&r->head);
 *		handle the records from tail to head;
 *		store-release(&r->tail, tail = head);
 * With BLOCK, call TRAWL_IOC_WAKE (or poll()) after moving the tail while `waiting` is not 0.
 * With OVERWRITE, the tail is ignored: a copy of record n is valid if, after it was copied, head
 * was still at most n + records - 1.
 */
struct trawl_ring {
	__u64 head;		/* written: the next position */
	__u64 records;
	__u64 lost;		/* records that found no room, in all */
	__u32 waiting;		/* tasks that wait for the reader */
	__u32 tasks;		/* traced tasks of form STREAM, 0: all have ended, and poll()
				 * says POLLHUP */
	__u64 pad[4];
	__u64 tail;		/* written by the reader: records before it may be overwritten */
};

/* A branch, or an event that a reader of branches must know of. 32 bytes. */
struct trawl_branch {
	__u64 from;
	__u64 to;
	__u64 time;		/* CLOCK_MONOTONIC, ns */
	__u32 tid;		/* of the opener's pid namespace */
	__u8 kind;		/* enum trawl_branch_kind */
	__u8 flags;		/* TRAWL_FLAG_* */
	__u16 cycles;		/* since the processor's record before, which may have been a return
				 * from the kernel, where TRAWL_FLAG_CYCLES;
				 * TRAWL_KIND_PROBE: a count */
};

#define TRAWL_FLAG_MISPREDICTED	(1u << 0)
#define TRAWL_FLAG_PREDICTED	(1u << 1)	/* neither of both: not known */
#define TRAWL_FLAG_IN_TX	(1u << 2)
#define TRAWL_FLAG_ABORT	(1u << 3)
#define TRAWL_FLAG_CYCLES	(1u << 4)	/* `cycles` is valid; only of provider LBR */
#define TRAWL_FLAG_PROBE	(1u << 5)	/* one of the branches before the
						 * TRAWL_KIND_PROBE or _STACK that follows */
#define TRAWL_STACK_UNKNOWN	0xffffu		/* no branches: the LBR was not this task's */

enum trawl_branch_kind {
	TRAWL_KIND_UNKNOWN = 0,		/* a branch whose instruction could not be read */
	TRAWL_KIND_JCC = 1,		/* conditional and taken; jrcxz and loop, too */
	TRAWL_KIND_REL_CALL = 2,
	TRAWL_KIND_IND_CALL = 3,
	TRAWL_KIND_RET = 4,
	TRAWL_KIND_IND_JMP = 5,
	TRAWL_KIND_REL_JMP = 6,
	TRAWL_KIND_FAR = 7,		/* far call, jump, return and iret in user space */
	TRAWL_KIND_SYSCALL = 8,		/* user to kernel; to is TRAWL_KERNEL_ADDRESS */
	TRAWL_KIND_SYSRET = 9,		/* kernel to user after a system call; from is
					 * TRAWL_KERNEL_ADDRESS */

	/*
	 * The kernel changed the task's ip: in form STREAM only, and regardless of select.
	 * `from` is the instruction that would have been next, `to` the one that is next.
	 */
	TRAWL_KIND_SIGNAL = 16,		/* a handler begins; cycles: the signal's number */
	TRAWL_KIND_SIGRETURN = 17,	/* it has returned; from is its system call */
	TRAWL_KIND_MOVED = 18,		/* by a debugger, a restartable sequence, a probe ... */
	TRAWL_KIND_EXEC = 19,		/* to: the first instruction of the new program or its
					 * interpreter */

	/* What happened to a task or to the ring, in form STREAM only. */
	TRAWL_KIND_TASK = 32,		/* begins: from = parent's tid << 32 | tgid, to = its
					 * start time (boot, ns) */
	TRAWL_KIND_RESUME = 33,		/* recording (again) from here: to = next instruction,
					 * from = enum trawl_gap */
	TRAWL_KIND_EXIT = 34,		/* from = exit code as wait(2) has it, to = its last
					 * instruction */
	TRAWL_KIND_END = 35,		/* the task is no longer traced: from = enum trawl_gap,
					 * to = its last instruction, or its new tid
					 * (TRAWL_GAP_RENAMED) */
	TRAWL_KIND_LOST = 36,		/* from = how many records, to = first's time, time =
					 * last's; tid 0 */
	TRAWL_KIND_PROBE = 37,		/* a probe was hit: from = its cookie, to = the address,
					 * cycles = how many of the records before belong to it
					 * (TRAWL_FLAG_PROBE), or TRAWL_STACK_UNKNOWN */
	/* a new task is not traced for lack of memory: from = its tid */
	TRAWL_KIND_CHILD_LOST = 38,
	TRAWL_KIND_STACK = 39,		/* provider LBR, form STREAM: the records before with
					 * TRAWL_FLAG_PROBE, `cycles` of them or
					 * TRAWL_STACK_UNKNOWN, are the task's last branches at
					 * `time` */
};

/* Why there is a gap: branches between the record before and this one were not seen. */
enum trawl_gap {
	TRAWL_GAP_BEGIN = 0,		/* tracing begins */
	TRAWL_GAP_BLOCKSTEP = 1,	/* a debugger let it step over whole blocks */
	TRAWL_GAP_UNREADABLE = 2,	/* the instruction was gone before it could be read */
	TRAWL_GAP_PRIVILEGE = 3,	/* exec of a set-uid or unreadable program */
	TRAWL_GAP_DISABLED = 4,
	TRAWL_GAP_LBR_LOST = 5,		/* somebody else used the LBR */
	/* exec of a thread that thereby gets the process' id; it begins anew under that id */
	TRAWL_GAP_RENAMED = 6,
};

/*
 * TRAWL_IOC_PROBE: whenever a task that this file traces executes the instruction at `offset`
 * (bytes) of the file `fd`, the task's last branches are put into the ring: up to `last` records
 * with TRAWL_FLAG_PROBE, followed by one TRAWL_KIND_PROBE, with no record of another task in
 * between. This file must have a ring, and trace the task in form LBR, from which the branches
 * come; the task may be traced in form STREAM as well. A uprobe of tracefs at the same place has an
 * event of its own, with the same tid and a time that differs by the run time of the handlers.
 * EEXIST: the cookie is in use.
 *
 * TRAWL_IOC_UNPROBE: set size, flags and cookie. ENOENT: no such probe.
 */
struct trawl_probe {
	__u32 size;
	__u32 flags;		/* 0 */
	__s32 fd;		/* an open regular file */
	__u32 last;		/* 1 to 1024 */
	__u64 offset;
	__u64 cookie;		/* chosen by the caller */
	__u64 ref_ctr_offset;	/* offset in the file of a USDT probe's semaphore, or 0 */
};

#define TRAWL_IOC_MAGIC		0xd7
#define TRAWL_IOC_PROVIDER	_IOWR(TRAWL_IOC_MAGIC, 0, struct trawl_provider_info)
#define TRAWL_IOC_ENABLE	_IOWR(TRAWL_IOC_MAGIC, 1, struct trawl_enable)
#define TRAWL_IOC_DISABLE	_IOWR(TRAWL_IOC_MAGIC, 2, struct trawl_disable)
#define TRAWL_IOC_CONFIG	_IOWR(TRAWL_IOC_MAGIC, 3, struct trawl_enable)
#define TRAWL_IOC_DUMP		_IOWR(TRAWL_IOC_MAGIC, 4, struct trawl_dump)
#define TRAWL_IOC_RING		_IOWR(TRAWL_IOC_MAGIC, 5, struct trawl_ring_setup)
#define TRAWL_IOC_WAKE		_IO(TRAWL_IOC_MAGIC, 6)
#define TRAWL_IOC_PROBE		_IOWR(TRAWL_IOC_MAGIC, 7, struct trawl_probe)
#define TRAWL_IOC_UNPROBE	_IOWR(TRAWL_IOC_MAGIC, 8, struct trawl_probe)

#endif
