/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * /dev/trawl: the interface of trawl.ko to user space.
 *
 * Every request begins with its size in bytes and with flags. A request that is longer than the
 * module's is accepted if the rest is zero, a shorter one is read as if it ended with zeros;
 * unknown flags and padding that is not zero give EINVAL. All fields have the same place in 32-bit
 * programs; pointers are __u64. The interface of libiht's document is kmod/trawl_libiht.h: the same
 * device takes both.
 *
 * State belongs to an open file description: close() of the last descriptor ends its tracing.
 *
 * Process ids are those of the pid namespace of the program that opened the device. Permission is
 * checked with the credentials of that open(), as ptrace(2) checks an attach: the ids of the
 * target must be the opener's and the target dumpable, or the opener has CAP_SYS_PTRACE in the
 * target's user namespace. open() itself needs CAP_PERFMON (or CAP_SYS_ADMIN), and fails with EPERM
 * where kernel lockdown forbids perf.
 */
#ifndef TRAWL_UAPI_H
#define TRAWL_UAPI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define TRAWL_DEVICE	"/dev/trawl"
/* Grows when a request, a record kind or a flag is added; what there was keeps its meaning. */
#define TRAWL_ABI	2

/*
 * Which branches are recorded: LBR_SELECT of the Intel manual. A set bit suppresses. Branches from
 * kernel code are never delivered: with TRAWL_NO_RING0 clear, the entries into the kernel are
 * (TRAWL_KIND_SYSCALL, TRAWL_KIND_SYSRET), with TRAWL_KERNEL_ADDRESS in place of its addresses.
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
#define TRAWL_BTS_BTINT		(1u << 8)	/* stop when full, wake poll() at the threshold;
						 * without it a ring */
#define TRAWL_BTS_OFF_OS	(1u << 9)	/* as TRAWL_NO_RING0 */
#define TRAWL_BTS_OFF_USR	(1u << 10)	/* as TRAWL_NO_USER */
#define TRAWL_BTS_MASK		0x7c0u
#define TRAWL_BTS_DEFAULT	(TRAWL_BTS_TR | TRAWL_BTS_BTS | TRAWL_BTS_OFF_OS)
#define TRAWL_BTS_RECORD	24u		/* bytes of a record in the BTS form */
#define TRAWL_BTS_SIZE_DEFAULT	(1024u * TRAWL_BTS_RECORD)
#define TRAWL_BTS_SIZE_MAX	(2796202u * TRAWL_BTS_RECORD)	/* 64 MiB */

/* Where records go. One file may use each form once on a task. */
enum trawl_form {
	TRAWL_FORM_LBR = 1,	/* the last `depth` branches of each task; read by TRAWL_IOC_DUMP */
	TRAWL_FORM_BTS = 2,	/* a buffer for each task; read by TRAWL_IOC_DUMP */
	TRAWL_FORM_STREAM = 3,	/* the file's ring, for all tasks: TRAWL_IOC_RING first */
};

/* Who finds the branches. */
enum trawl_provider {
	TRAWL_PROVIDER_AUTO = 0,
	/*
	 * perf's counter owns the LBR, the module reads it. Form LBR, and branches at probes. In
	 * form STREAM, by name only, the last branches whenever a task leaves its CPU, gets a
	 * signal or ends.
	 */
	TRAWL_PROVIDER_LBR = 1,
	/* The task is single-stepped by the module. Every form, every x86-64 processor. */
	TRAWL_PROVIDER_STEP = 2,
	/* Hardware BTS: never usable from the module (TRAWL_WHY_USE_PERF). */
	TRAWL_PROVIDER_BTS = 3,
	TRAWL_PROVIDERS = 4,
};

/* Why a provider can't be used. TRAWL_IOC_PROVIDER has a sentence for each, too. */
enum trawl_why {
	TRAWL_WHY_USABLE = 0,
	TRAWL_WHY_NO_HARDWARE = 1,	/* the processor has none, or the hypervisor hides it */
	TRAWL_WHY_UNKNOWN_FORMAT = 2,	/* an LBR format that this module doesn't know */
	TRAWL_WHY_NO_PERF = 3,		/* perf has no driver for this processor's counters */
	TRAWL_WHY_BUSY = 4,		/* perf gave the LBR to somebody else */
	TRAWL_WHY_USE_PERF = 5,		/* perf does it without a module: trawl's perf-bts */
	TRAWL_WHY_FORM = 6,		/* this provider can't serve the form that was asked for */
	TRAWL_WHY_SELF_TEST = 7,	/* the registers answer, but don't record branches */
};

/*
 * TRAWL_IOC_PROVIDER: fill in size, flags = 0 and provider (1 to TRAWL_PROVIDERS - 1; others:
 * ENOENT).
 * Names: "lbr", "step", "bts".
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
 * Begin in the task's next exec: what is before, in a child of fork that is about to start the
 * program, isn't recorded. In that exec the task must not gain privileges.
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
	__u32 provider;		/* in: enum trawl_provider; out: who it is */
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
 * TRAWL_IOC_DISABLE: ends a form on the process (or thread) `pid`; its children go on. What was
 * recorded is discarded for forms LBR and BTS and stays in the ring for form STREAM. ENOENT: not
 * enabled there.
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
 * struct trawl_record. A task that exited can be dumped until DISABLE or close(), the newest
 * TRAWL_DEAD_MAX of them. ENOENT: not enabled there.
 */
#define TRAWL_DUMP_CLEAR	(1u << 0)	/* what was copied is removed; BTINT begins anew */
#define TRAWL_DUMP_FLAGS	1u
#define TRAWL_DEAD_MAX		256
struct trawl_dump {
	__u32 size;
	__u32 flags;
	__s32 pid;
	__u32 form;
	__u64 records;		/* address of an array; NULL only counts */
	__u32 capacity;		/* its length; if that is too short, the newest are copied */
	__u32 count;		/* out: how many there are */
	__u64 lost;		/* out: since ENABLE, those that the ring overwrote or that found
				 * no room */
	__u32 state;		/* out: enum trawl_task_state */
	__u32 provider;		/* out */
};

enum trawl_task_state {
	TRAWL_TASK_ARMED = 0,	/* not yet back in user space since ENABLE */
	TRAWL_TASK_TRACED = 1,
	TRAWL_TASK_EXITED = 2,
	TRAWL_TASK_STOPPED = 3,	/* tracing ended before the task: it gained privileges by exec */
};

/*
 * TRAWL_IOC_RING, once a file, before the first ENABLE of form STREAM (EEXIST afterwards):
 * then mmap(NULL, mmap_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0). Offset 0 is struct
 * trawl_ring, offset data_offset the records, record n at index n % records.
 *
 * Without a flag a record that finds no room is lost. The module then puts TRAWL_KIND_LOST in front
 * of the next one that does.
 */
#define TRAWL_RING_OVERWRITE	(1u << 0)	/* the oldest are overwritten instead */
/*
 * Tasks wait for the reader when fewer than 1/4 of the ring is free, on their way back to user
 * space, killably. Never the process that opened the file, which would wait for itself: it loses.
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
 * The first page of the mapping. The module reads nothing but `tail`. Positions count records since
 * the ring was made and never wrap.
 *	reader:	head = load-acquire(&r->head);
 *		handle the records from tail to head;
 *		store-release(&r->tail, tail = head);
 * With BLOCK, call TRAWL_IOC_WAKE (or poll()) after the tail moved while `waiting` isn't 0.
 * With OVERWRITE, the tail is ignored: record n is whole if, after it was copied, head was still at
 * most n + records - 1.
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

/* A branch, or something that the reader of branches must know. 32 bytes. */
struct trawl_record {
	__u64 from;
	__u64 to;
	__u64 time;		/* CLOCK_MONOTONIC, ns */
	__u32 tid;		/* of the opener's pid namespace */
	__u8 kind;		/* enum trawl_kind */
	__u8 flags;		/* TRAWL_FLAG_* */
	__u16 cycles;		/* since the branch before, where TRAWL_FLAG_CYCLES;
				 * TRAWL_KIND_PROBE: a count */
};

#define TRAWL_FLAG_MISPREDICTED	(1u << 0)
#define TRAWL_FLAG_PREDICTED	(1u << 1)	/* neither of both: not known */
#define TRAWL_FLAG_IN_TX	(1u << 2)
#define TRAWL_FLAG_ABORT	(1u << 3)
#define TRAWL_FLAG_CYCLES	(1u << 4)	/* `cycles` counts; of LBR only */
#define TRAWL_FLAG_PROBE	(1u << 5)	/* one of the branches before the
						 * TRAWL_KIND_PROBE or _STACK that follows */
#define TRAWL_STACK_UNKNOWN	0xffffu		/* none, as the LBR was not this task's */
#define TRAWL_FLAG_SPECULATED	(1u << 6)	/* AMD: executed on a wrong path */

enum trawl_kind {
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
	 * The kernel moved the task, in form STREAM only and whatever is selected: `from` is the
	 * instruction that was next, `to` the one that is next now.
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
	TRAWL_KIND_CHILD_LOST = 38,	/* a new task is not traced, no memory: from = its tid */
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
	TRAWL_GAP_LBR_LOST = 5,		/* somebody else had the LBR */
	TRAWL_GAP_RENAMED = 6,		/* exec of a thread, which gets the process' id; it
					 * begins anew under that */
};

/*
 * TRAWL_IOC_PROBE: whenever a task that this file traces executes the instruction at `offset` of
 * the file `fd`, its last branches go into the ring: up to `last` records with TRAWL_FLAG_PROBE and
 * then one TRAWL_KIND_PROBE, without a record of another task in between. The task must be traced
 * in form LBR by this file, whose ring gets these and, where it has form STREAM too, that. A uprobe
 * of tracefs at the same place has its own event: same tid, times apart by the handlers' run time.
 * EEXIST: the cookie is in use.
 * TRAWL_IOC_UNPROBE: size, flags and cookie; ENOENT.
 */
struct trawl_probe {
	__u32 size;
	__u32 flags;		/* 0 */
	__s32 fd;		/* an open regular file */
	__u32 last;		/* 1 to 1024 */
	__u64 offset;
	__u64 cookie;		/* the caller's */
	__u64 ref_ctr_offset;	/* semaphore of a USDT probe, or 0 */
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
