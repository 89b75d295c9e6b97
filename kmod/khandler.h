/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Handlers in the kernel that a uprobe of the interface in trawl_uprobe.h may name. Another module
 * adds its own:
 *
 *	static void hit(const struct khandler_hit *at, void *data) { ... }
 *	static struct khandler mine = { .name = "mine", .owner = THIS_MODULE, .hit = hit,
 *					.data_size = sizeof(struct mine) };
 *	register_khandler(&mine);
 *
 * and builds with KBUILD_EXTRA_SYMBOLS set to this module's Module.symvers.
 */
#ifndef KMOD_KHANDLER_H
#define KMOD_KHANDLER_H

#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include "kmod/trawl_uprobe.h"

struct session;

/* What a handler learns of an event. Ids are those of the initial pid namespace. */
struct khandler_hit {
	u64 id;			/* of the registration */
	u64 where;
	u32 event;		/* enum trawl_uprobe_event */
	int status;
	struct task_struct *task;	/* current, or a task that is stopped */
	const struct pt_regs *regs;	/* of its user code; at a breakpoint, as before its
					 * instruction */
	struct session *session;	/* of the tracer */
};

/*
 * hit() adds an event to data, data_size bytes that are zero when the registration is made. Hits of
 * one registration come one after the other. It must not sleep: at->task is mostly current, at a
 * probe and under a spin lock. User memory is read by khandler_read().
 */
struct khandler {
	const char *name;	/* shorter than TRAWL_KHANDLER_NAME, without newlines */
	struct module *owner;
	u32 data_size;		/* at most KHANDLER_DATA_MAX */
	void (*hit)(const struct khandler_hit *at, void *data);
	struct list_head link;
};

#define KHANDLER_DATA_MAX 65536

/* register_khandler() - 0, -EEXIST where the name is taken, -EINVAL. The handler stays the
 * caller's. */
int register_khandler(struct khandler *handler);
/* unregister_khandler() - to be called where no registration can use it: from its module's exit. */
void unregister_khandler(struct khandler *handler);

/*
 * khandler_read() - copies user memory of the hit's task; returns how many bytes, 0 where there are
 * none. Where at->task is current it doesn't sleep, and pages that are not in memory can't be read.
 * Where at->task is stopped (a handler that its tracer asked to run) it may sleep: hit() must not
 * hold a lock around it.
 */
u32 khandler_read(const struct khandler_hit *at, u64 address, void *buffer, u32 length);

/* khandler_get() - the handler of that name with a reference to its module, or NULL. */
struct khandler *khandler_get(const char *name);
void khandler_put(struct khandler *handler);

/* khandler_list() - writes the names, a line each; returns how many bytes they take. */
u32 khandler_list(char *buffer, u32 length);

/* khandlers_init() - registers the built-in ones. */
void khandlers_init(void);

/*
 * khandler_save_bases() - what current has written to its fs and gs bases itself (wrfsbase) reaches
 * its thread_struct only when it is switched out: puts it there now, for others to read.
 */
void khandler_save_bases(void);

/* khandler_registers() - registers as user space has them. */
void khandler_registers(struct trawl_uprobe_registers *to, const struct pt_regs *regs,
			struct task_struct *task);

#endif
