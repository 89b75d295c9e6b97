// SPDX-License-Identifier: GPL-2.0-only
/* What a tracer does with a thread that has stopped for it: registers, memory, khandlers. */
#include "kmod/tracer.h"
#include <linux/mm.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/processor-flags.h>
#include <asm/trapnr.h>
#include "kmod/khandler.h"
#include "kmod/permit.h"

#define ARITHMETIC_FLAGS                                                                           \
	(X86_EFLAGS_CF | X86_EFLAGS_PF | X86_EFLAGS_AF | X86_EFLAGS_ZF | X86_EFLAGS_SF |           \
	 X86_EFLAGS_DF | X86_EFLAGS_OF)
#define MEMORY_MAX (1u << 20)

/* Whether the tracer has changed only what may be written, and rip lies in user space. */
static bool may_set(const struct trawl_uprobe_registers *now,
		    const struct trawl_uprobe_registers *then)
{
	return (now->rip == then->rip || now->rip < TASK_SIZE_MAX) && now->cs == then->cs &&
	       now->ss == then->ss && now->orig_rax == then->orig_rax &&
	       now->fs_base == then->fs_base && now->gs_base == then->gs_base &&
	       !((now->eflags ^ then->eflags) & ~(u64)ARITHMETIC_FLAGS);
}

/* Whether, at a breakpoint, the task is about to execute the kernel's copy of the instruction. */
bool stopped_elsewhere(const struct task_struct *task)
{
	return task->utask && task->utask->active_uprobe;
}

/*
 * From Linux 6.11 on a function with a return probe returns to a piece of code of the kernel that
 * makes a system call. That code has pushed r11, rcx and the return address, and pops them after
 * the call. The thread skips the rest of that code and goes on where the event was.
 */
static void leave_trampoline(const struct stop *stop, struct pt_regs *regs)
{
	const struct pt_regs *seen = &stop->regs;

	if (!stop->returning || seen->sp - regs->sp != 3 * sizeof(long))
		return;
	regs->ip = seen->ip;
	regs->sp = seen->sp;
	regs->cx = seen->cx;
	regs->r11 = seen->r11;
}

/*
 * Between an event and the stop, a signal may have sent the task to its handler, or the system call
 * that it was in may have executed another program or returned from a signal's handler. Registers
 * that the tracer writes would then not be those that it saw. An instruction that the kernel
 * emulates moves rsp by a word at most.
 */
void stopped_begin(struct stop *stop)
{
	struct pt_regs *regs = task_pt_regs(current), *seen = &stop->regs;
	unsigned long by;

	if (stopped_elsewhere(current))
		return;
	leave_trampoline(stop, regs);
	by = regs->sp - seen->sp;
	/*
	 * The system call is over now: rax has its result, or the registers are those of a new
	 * program.
	 */
	if (stop->within) {
		stop->regs = *regs;
		stop->ip = regs->ip;
	}
	stop->moved = stop->breakpoint ? by + 8 > 16 : by || regs->ip != seen->ip;
}

/*
 * Handles another rip. If the kernel's copy of an instruction is about to be executed, it is
 * abandoned in the way that the kernel abandons one that traps (uprobe_deny_signal()): the kernel
 * then continues at utask->vaddr, frees the copy, and restores the register that it used. A system
 * call is not restarted from the new address.
 */
void stopped_end(struct stop *stop)
{
	struct pt_regs *regs = task_pt_regs(current);

	if (stop->regs.ip == stop->ip || current->flags & PF_EXITING)
		return;
	regs->sp = stop->regs.sp;
	if (stopped_elsewhere(current)) {
		current->utask->vaddr = stop->regs.ip;
		current->thread.trap_nr = X86_TRAP_DB;
		set_tsk_thread_flag(current, TIF_SIGPENDING);
	} else {
		regs->ip = stop->regs.ip;
		regs->orig_ax = -1;
	}
}

/* The registers that may be written, except rsp. */
#define EACH_REGISTER(X)                                                                           \
	X(r15)                                                                                     \
	X(r14) X(r13) X(r12) X(bp) X(bx) X(r11) X(r10) X(r9) X(r8) X(ax) X(cx) X(dx) X(si) X(di)

static void from_user(struct pt_regs *to, const struct trawl_uprobe_registers *from)
{
	to->r15 = from->r15, to->r14 = from->r14, to->r13 = from->r13, to->r12 = from->r12;
	to->bp = from->rbp, to->bx = from->rbx, to->r11 = from->r11, to->r10 = from->r10;
	to->r9 = from->r9, to->r8 = from->r8, to->ax = from->rax, to->cx = from->rcx;
	to->dx = from->rdx, to->si = from->rsi, to->di = from->rdi, to->sp = from->rsp,
	to->ip = from->rip;
	to->flags = (to->flags & ~ARITHMETIC_FLAGS) | (from->eflags & ARITHMETIC_FLAGS);
}

/*
 * Whether the value is one that the kernel put into a scratch register at a breakpoint: the address
 * after the instruction, whose length is 1 to 15 bytes.
 */
static bool is_scratch(struct stop *stop, unsigned long value)
{
	return stopped_elsewhere(stop->task) && value - stop->ip - 1 < 15;
}

/*
 * Writes the tracer's registers to the task, whose own may differ from what the tracer sees. After
 * an instruction that the kernel emulated, rsp differs; it is moved by as much as the tracer moved
 * it. For a copied instruction that addresses memory relative to rip, the kernel uses si, di or bx
 * as a scratch register and keeps the program's value in utask: that copy is written. -EBUSY where
 * it cannot be known which of the registers the kernel uses.
 */
static long to_task(struct stop *stop, const struct pt_regs *to)
{
	struct pt_regs *regs = task_pt_regs(stop->task);
	const struct pt_regs *seen = &stop->regs;
	unsigned long *scratch = NULL;

#define X(name)                                                                                    \
	if (is_scratch(stop, regs->name)) {                                                        \
		if (regs->name == seen->name && to->name != seen->name)                            \
			return -EBUSY;                                                             \
		if (regs->name != seen->name)                                                      \
			scratch = &regs->name;                                                     \
	}
	X(si) X(di) X(bx)
#undef X
	/*
	 * Write only the registers that the tracer changes: the task may have the result of a
	 * system call already.
	 */
#define X(name)                                                                                    \
	if (to->name != seen->name) {                                                              \
		if (&regs->name == scratch)                                                        \
			stop->task->utask->autask.saved_scratch_register = to->name;               \
		else                                                                               \
			regs->name = to->name;                                                     \
	}
	EACH_REGISTER(X)
#undef X
	regs->sp += to->sp - seen->sp;
	regs->flags ^= (seen->flags ^ to->flags) & ARITHMETIC_FLAGS;
	return 0;
}

static long set_registers(const struct delivery *delivery,
			  const struct trawl_uprobe_registers *registers)
{
	struct stop *stop = delivery->stop;
	struct trawl_uprobe_registers now;
	struct pt_regs to = stop->regs;
	long status;

	/* A system call that has begun uses its registers and overwrites some. */
	if (stop->moved || stop_registers(delivery) != &stop->regs)
		return -EBUSY;
	khandler_registers(&now, &stop->regs, stop->task);
	if (!may_set(registers, &now))
		return -EINVAL;
	from_user(&to, registers);
	status = to_task(stop, &to);
	if (!status)
		stop->regs = to;
	return status;
}

long stopped_registers(struct tracer *tracer, struct trawl_uprobe_regs *request)
{
	struct delivery *delivery;
	long status = 0;

	spin_lock_irq(&stops_lock);
	delivery = stop_find(tracer, request->tid);
	if (!delivery)
		status = stop_missing(tracer);
	else if (request->flags & TRAWL_UPROBE_SET)
		status = set_registers(delivery, &request->regs);
	else
		khandler_registers(&request->regs, stop_registers(delivery), delivery->stop->task);
	spin_unlock_irq(&stops_lock);
	return status;
}

/* The stopped thread, with a reference. `who` 0: of any tracee. */
static struct task_struct *get_stopped(struct tracer *tracer, pid_t who, pid_t tid,
				       struct pt_regs *regs)
{
	struct delivery *delivery;
	struct task_struct *task;

	spin_lock_irq(&stops_lock);
	delivery = who ? stop_find_of(tracer, who, tid) : stop_find(tracer, tid);
	if (delivery) {
		task = get_task_struct(delivery->stop->task);
		if (regs)
			*regs = *stop_registers(delivery);
	} else {
		task = ERR_PTR(stop_missing(tracer));
	}
	spin_unlock_irq(&stops_lock);
	return task;
}

static bool is_stopped(struct tracer *tracer, const struct task_struct *task, pid_t who, pid_t tid)
{
	struct task_struct *now = get_stopped(tracer, who, tid, NULL);

	if (IS_ERR(now))
		return false;
	put_task_struct(now);
	return now == task;
}

/*
 * hold_stopped() - as get_stopped(), and the task keeps its memory until drop_stopped(). Otherwise
 * another POLL might let the task go on, to an exec of a program that the tracer may not examine.
 */
static struct task_struct *hold_stopped(struct tracer *tracer, pid_t who, pid_t tid,
					struct pt_regs *regs)
{
	struct task_struct *task = get_stopped(tracer, who, tid, regs);
	int status;

	if (IS_ERR(task))
		return task;
	status = permit_lock(task);
	if (!status) {
		if (is_stopped(tracer, task, who, tid))
			return task;
		permit_unlock(task);
		status = -EBUSY;
	}
	put_task_struct(task);
	return ERR_PTR(status);
}

static void drop_stopped(struct task_struct *task)
{
	permit_unlock(task);
	put_task_struct(task);
}

/*
 * FOLL_FORCE: as a debugger, reach also pages without that permission, such as code at a
 * breakpoint.
 */
static int copy(struct task_struct *task, const struct trawl_uprobe_memory *request, void *buffer)
{
	void __user *user = u64_to_user_ptr(request->buffer);
	int done;

	if (request->flags & TRAWL_UPROBE_SET) {
		if (copy_from_user(buffer, user, request->length))
			return -EFAULT;
		return access_process_vm(task, request->address, buffer, request->length,
					 FOLL_FORCE | FOLL_WRITE);
	}
	done = access_process_vm(task, request->address, buffer, request->length, FOLL_FORCE);
	return done > 0 && copy_to_user(user, buffer, done) ? -EFAULT : done;
}

long stopped_memory(struct tracer *tracer, struct trawl_uprobe_memory *request)
{
	struct task_struct *task;
	void *buffer;
	int done;

	if (request->length > MEMORY_MAX)
		return -EINVAL;
	task = hold_stopped(tracer, 0, request->tid, NULL);
	if (IS_ERR(task))
		return PTR_ERR(task);
	buffer = kvmalloc(max(request->length, 1u), GFP_KERNEL);
	done = buffer ? copy(task, request, buffer) : -ENOMEM;
	kvfree(buffer);
	drop_stopped(task);
	if (done < 0)
		return done;
	request->done = done;
	return request->length && !done ? -EFAULT : 0;
}

long stopped_run(struct tracer *tracer, struct khandler *handler, struct trawl_uprobe *u,
		 void *data)
{
	struct pt_regs regs;
	struct khandler_hit at = { .id = u->id, .where = u->where, .event = u->event, .regs = &regs,
				  .session = tracer->session };

	if (u->who <= 0)
		return -EBUSY;
	at.task = hold_stopped(tracer, u->who, u->tid, &regs);
	if (IS_ERR(at.task))
		return PTR_ERR(at.task);
	handler->hit(&at, data);
	drop_stopped(at.task);
	return 0;
}
