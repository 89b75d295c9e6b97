/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Handlers in the kernel that a registration of the interface in trawl_uprobe.h may name. Another
 * module adds its own:
 *
 *	static void hit(const struct khandler_hit *at, void *data) { ... }
 *	static struct khandler mine = { .name = "mine", .owner = THIS_MODULE, .hit = hit,
 *					.data_size = sizeof(struct mine) };
 *	register_khandler(&mine);
 *
 * Such a module is built with KBUILD_EXTRA_SYMBOLS set to this module's Module.symvers.
 */
#ifndef TRAWL_KMOD_KHANDLER_H
#define TRAWL_KMOD_KHANDLER_H

#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include "kmod/trawl_uprobe.h"

struct session;

/* An event, as a handler gets it. Process ids are those of the initial pid namespace. */
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
 * hit() adds an event to `data`: data_size bytes, which are zero when the registration is made. It
 * is never called twice at the same time for one registration. It must not sleep: at->task is
 * mostly current, in a probe, with a spin lock held and interrupts off. khandler_read() reads user
 * memory.
 */
struct khandler {
	const char *name;	/* shorter than TRAWL_KHANDLER_NAME, without newlines */
	struct module *owner;
	u32 data_size;		/* at most KHANDLER_DATA_MAX */
	void (*hit)(const struct khandler_hit *at, void *data);
	struct list_head link;
};

#define KHANDLER_DATA_MAX 65536

/*
 * register_khandler() - returns 0, -EEXIST where the name is in use, or -EINVAL. The caller keeps
 * ownership of the handler, which must stay until unregister_khandler().
 */
int register_khandler(struct khandler *handler);
/*
 * unregister_khandler() - called when no registration uses the handler any more: from its module's
 * exit function.
 */
void unregister_khandler(struct khandler *handler);

/*
 * khandler_read() - copies up to `length` bytes of user memory of at->task; returns how many were
 * copied, 0 if none. Where at->task is current it does not sleep, and pages that are not in memory
 * cannot be read. Where at->task is stopped (a handler that its tracer asked to run) it may sleep:
 * hit() must not hold a lock then.
 */
u32 khandler_read(const struct khandler_hit *at, u64 address, void *buffer, u32 length);

/*
 * khandler_get() - the handler of that name, with a reference to its module that khandler_put()
 * drops; NULL if there is none.
 */
struct khandler *khandler_get(const char *name);
void khandler_put(struct khandler *handler);

/*
 * khandler_list() - writes the names, one a line, into `buffer` as far as they fit; returns how
 * many bytes all of them need.
 */
u32 khandler_list(char *buffer, u32 length);

/* khandlers_init() - registers the built-in ones. */
void khandlers_init(void);

/*
 * khandler_save_bases() - stores the fs and gs bases of the current task in its thread_struct,
 * where others read them. Bases that the task wrote itself (wrfsbase) are otherwise stored there
 * only when it is switched out.
 */
void khandler_save_bases(void);

/* khandler_registers() - the registers in the layout of user space. */
void khandler_registers(struct trawl_uprobe_registers *to, const struct pt_regs *regs,
			struct task_struct *task);

#endif
