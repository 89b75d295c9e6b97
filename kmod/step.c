// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/step.h"
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/sched/task_stack.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#include <asm/debugreg.h>
#include <asm/vsyscall.h>
#include "kmod/task.h"

/*
 * After how many steps a task checks whether a ring that blocks is short of room: the check takes
 * the ring's lock.
 */
#define STEPS_A_LOOK	16
/* Numbers of sigreturn(2): rt_sigreturn of x86-64 and of x32, and both of 32-bit programs. */
#define SYS_SIGRETURN_64	15
#define SYS_SIGRETURN_X32	(__X32_SYSCALL_BIT + 513)
#define SYS_SIGRETURN_32	119
#define SYS_RT_SIGRETURN_32	173

static void emit(struct traced *t, u8 kind, u64 from, u64 to, u16 cycles)
{
	struct trawl_branch r = {
		.from = from,
		.to = to,
		.time = ktime_get_mono_fast_ns(),
		.kind = kind,
		.cycles = cycles,
	};

	traced_record(t, &r);
}

/*
 * Copies the instruction's bytes; does not fetch pages that are not in memory. Returns how many
 * bytes there are.
 */
static size_t read_code(u64 ip, u8 *bytes)
{
	size_t n = min_t(size_t, INSN_MAX, PAGE_SIZE - (ip & ~PAGE_MASK));

	if (!copy_from_user_nofault(bytes, (void __user *)ip, INSN_MAX))
		return INSN_MAX;
	return copy_from_user_nofault(bytes, (void __user *)ip, n) ? 0 : n;
}

static void decode(struct step *s, const struct pt_regs *regs)
{
	u8 bytes[INSN_MAX];
	size_t n = read_code(s->ip, bytes);

	s->decoded = n &&
		insn_decode(&s->insn, bytes, n, s->ip, user_64bit_mode((struct pt_regs *)regs));
}

static void look_ahead(struct step *s, const struct pt_regs *regs)
{
	s->ip = regs->ip;
	s->flags = regs->flags;
	s->cx = regs->cx;
	s->ax = regs->ax;
	s->vsyscall = 0;
	decode(s, regs);
}

static bool enters_kernel(const struct step *s)
{
	return s->decoded && (s->insn.special == INSN_SYSCALL || s->insn.special == INSN_SYSENTER ||
			      s->insn.special == INSN_INT);
}

static void arm(struct step *s, struct task_struct *task, struct pt_regs *regs)
{
	regs->flags |= X86_EFLAGS_TF;
	/* Keep debuggers from seeing the trap flag: TIF_FORCED_TF marks it as set by the kernel. */
	if (s->own)
		clear_tsk_thread_flag(task, TIF_FORCED_TF);
	else
		set_tsk_thread_flag(task, TIF_FORCED_TF);
	s->armed = true;
}

static void clear_flag(struct step *s, struct task_struct *task, struct pt_regs *regs)
{
	if (s->own || test_tsk_thread_flag(task, TIF_SINGLESTEP))
		return;
	regs->flags &= ~X86_EFLAGS_TF;
	clear_tsk_thread_flag(task, TIF_FORCED_TF);
}

/*
 * The instruction syscall has copied the flags to r11 and its return address to rcx: clear the trap
 * flag in the copy.
 */
static void clear_copy(struct step *s, struct pt_regs *regs)
{
	if (!s->own && regs->cx == regs->ip && regs->r11 & X86_EFLAGS_TF)
		regs->r11 &= ~X86_EFLAGS_TF;
}

static void disarm(struct step *s, struct task_struct *task, struct pt_regs *regs)
{
	if (s->armed)
		clear_flag(s, task, regs);
	s->armed = false;
}

/* Records the branch, if any, of the instruction at s->ip, which has been executed. */
static void flow(struct traced *t, struct pt_regs *regs)
{
	struct step *s = &t->step;
	const struct insn *insn = &s->insn;
	u64 now = regs->ip, after = s->ip + insn->length;
	bool taken = true, possible = true;

	if (!insn->kind) {
		taken = false;
		possible = now - s->ip <= INSN_MAX;
	} else if (insn->kind != TRAWL_KIND_JCC) {
		possible = !insn->constant || now == insn->target;
	} else if (!insn->constant) {
		taken = now - s->ip > INSN_MAX;
	} else if (insn->target == after) {
		taken = insn_taken(insn, s->flags, s->cx);
		possible = now == after;
	} else {
		taken = now == insn->target;
		possible = taken || now == after;
	}
	if (!possible)
		emit(t, TRAWL_KIND_MOVED, s->ip, now, 0);
	else if (taken)
		emit(t, insn->kind, s->ip, now, 0);
}

/* Follows what the instruction did to the trap flag, or to a copy of the flags on the stack. */
static void follow_flag(struct step *s, struct pt_regs *regs)
{
	u8 __user *high = (u8 __user *)regs->sp + 1;
	u8 byte;

	if (s->insn.special == INSN_POPF) {
		s->own = regs->flags & X86_EFLAGS_TF;
	} else if (s->insn.special == INSN_PUSHF && !s->own &&
		   !copy_from_user_nofault(&byte, high, 1)) {
		byte &= ~(X86_EFLAGS_TF >> 8);
		copy_to_user_nofault(high, &byte, 1);
	}
}

/*
 * A call into the vsyscall page faults there. The kernel then emulates it, including its return,
 * without a trap, so the next one comes after the instruction to which it returns: looks ahead to
 * that. Or a signal comes instead.
 */
static void vsyscall(struct step *s, struct pt_regs *regs)
{
	u64 back;

	if ((s->ip & PAGE_MASK) != VSYSCALL_ADDR ||
	    copy_from_user_nofault(&back, (void __user *)regs->sp, sizeof(back)))
		return;
	s->vsyscall = s->ip;
	s->ip = back;
	decode(s, regs);
}

/* The task is at s->ip, or was: the vsyscall, if there is one, has returned. */
static void vsyscall_returned(struct traced *t)
{
	struct step *s = &t->step;

	if (s->vsyscall)
		emit(t, TRAWL_KIND_RET, s->vsyscall, s->ip, 0);
	s->vsyscall = 0;
}

/* A signal comes: the vsyscall, if there is one, has returned only if the task is behind it. */
static void vsyscall_interrupted(struct traced *t, const struct pt_regs *regs)
{
	struct step *s = &t->step;

	if (s->vsyscall && regs->ip == s->vsyscall) {
		s->ip = s->vsyscall;
		s->vsyscall = 0;
	}
	vsyscall_returned(t);
}

/* One instruction has been executed, or two where the first gives no trap. */
static void advance(struct traced *t, struct pt_regs *regs)
{
	struct step *s = &t->step;

	if (s->moved_from) {
		emit(t, TRAWL_KIND_MOVED, s->moved_from, s->ip, 0);
		s->moved_from = 0;
	}
	vsyscall_returned(t);
	if (!s->decoded)
		decode(s, regs);
	if (s->decoded && (s->insn.special == INSN_MOV_SS || enters_kernel(s)) &&
	    regs->ip != s->ip + s->insn.length) {
		s->ip += s->insn.length;
		decode(s, regs);
	}
	if (s->blocks || !s->decoded) {
		emit(t, TRAWL_KIND_RESUME, s->blocks ? TRAWL_GAP_BLOCKSTEP : TRAWL_GAP_UNREADABLE,
		     regs->ip, 0);
	} else {
		flow(t, regs);
		follow_flag(s, regs);
	}
	look_ahead(s, regs);
	vsyscall(s, regs);
}

static void work(struct callback_head *head);

static void queue(struct traced *t, struct task_struct *task)
{
	if (atomic_xchg(&t->step.queued, 1))
		return;
	if (try_module_get(THIS_MODULE)) {
		traced_get(t);
		init_task_work(&t->step.work, work);
		if (!task_work_add(task, &t->step.work, TWA_RESUME))
			return;
		traced_put(t);
		module_put(THIS_MODULE);
	}
	atomic_set(&t->step.queued, 0);
}

void step_begin(struct traced *t, struct task_struct *task)
{
	/*
	 * A task that sleeps in a system call begins at the end of that call. Work queued for it
	 * would hold the module until then.
	 */
	if (t->step.unprepared ||
	    (READ_ONCE(t->step.wanted) &&
	     (task == current || !(READ_ONCE(task->__state) & TASK_INTERRUPTIBLE))))
		queue(t, task);
}

void step_lbr_off(struct traced *t)
{
	/* These have nothing to do in a task that is being stepped. */
	if (t->step.armed)
		return;
	t->step.lbr_off = true;
	queue(t, current);
}

int step_debug(struct traced *t, struct pt_regs *regs, unsigned long *dr6)
{
	struct step *s = &t->step;
	bool theirs = s->own || test_thread_flag(TIF_SINGLESTEP);

	if (!(*dr6 & DR_STEP) || !s->armed)
		return NOTIFY_DONE;
	if (s->probing) {
		queue(t, current);
		return NOTIFY_DONE;
	}
	if (READ_ONCE(s->wanted)) {
		advance(t, regs);
		arm(s, current, regs);
		if (!(++s->count % STEPS_A_LOOK) && traced_short_of_room(t))
			queue(t, current);
	} else {
		disarm(s, current, regs);
		traced_remove(t);
	}
	if (theirs)
		return NOTIFY_DONE;
	/*
	 * The kernel's notifier for breakpoints comes before this one. In an exception of a single
	 * step it leaves the bits of a breakpoint on the next instruction, which raises an
	 * exception of its own, and those of registers whose breakpoint has been removed: the
	 * program would get a SIGTRAP for them.
	 */
	*dr6 &= ~(DR_STEP | DR_TRAP_BITS);
	current->thread.virtual_dr6 &= ~DR_STEP;
	return *dr6 || current->thread.virtual_dr6 ? NOTIFY_DONE : NOTIFY_STOP;
}

void step_breakpoint(struct traced *t, struct pt_regs *regs)
{
	struct step *s = &t->step;

	if (!s->armed)
		return;
	vsyscall_returned(t);
	s->probing = true;
	clear_flag(s, current, regs);
	queue(t, current);
}

void step_signal(struct traced *t, int signal)
{
	struct step *s = &t->step;

	if (!s->armed)
		return;
	vsyscall_interrupted(t, task_pt_regs(current));
	s->signal = signal;
	clear_flag(s, current, task_pt_regs(current));
	queue(t, current);
}

/*
 * AMD's processors have the instruction syscall in 32-bit code, too, with the numbers of 32-bit
 * calls.
 */
static bool is_64bit_call(const struct step *s, struct pt_regs *regs)
{
	return s->insn.special == INSN_SYSCALL && user_64bit_mode(regs);
}

static bool is_sigreturn(const struct step *s, struct pt_regs *regs)
{
	u32 nr = s->ax;

	if (is_64bit_call(s, regs))
		return nr == SYS_SIGRETURN_64 || nr == SYS_SIGRETURN_X32;
	return nr == SYS_SIGRETURN_32 || nr == SYS_RT_SIGRETURN_32;
}

/* Whether the call returns to a fixed place in the vdso, as do the fast ones of 32-bit code. */
static bool returns_to_vdso(const struct step *s, struct pt_regs *regs)
{
	return s->insn.special == INSN_SYSENTER ||
	       (s->insn.special == INSN_SYSCALL && !is_64bit_call(s, regs));
}

/* Records what the system call at s->ip did to the flow of control. */
static void called(struct traced *t, struct pt_regs *regs)
{
	struct step *s = &t->step;
	u64 after = s->ip + s->insn.length;

	emit(t, TRAWL_KIND_SYSCALL, s->ip, TRAWL_KERNEL_ADDRESS, 0);
	if (s->replaced) {
		emit(t, TRAWL_KIND_EXEC, s->ip, regs->ip, 0);
	} else if (is_sigreturn(s, regs)) {
		s->own = regs->flags & X86_EFLAGS_TF;
		emit(t, TRAWL_KIND_SIGRETURN, s->ip, regs->ip, 0);
	} else if (regs->ip != after && !returns_to_vdso(s, regs)) {
		emit(t, TRAWL_KIND_MOVED, s->ip, regs->ip, 0);
	}
	emit(t, TRAWL_KIND_SYSRET, TRAWL_KERNEL_ADDRESS, regs->ip, 0);
}

void step_syscall_exit(struct traced *t, struct pt_regs *regs)
{
	struct step *s = &t->step;

	if (!READ_ONCE(s->wanted)) {
		clear_copy(s, regs);
		disarm(s, current, regs);
		if (!atomic_read(&s->queued))
			traced_remove(t);
		return;
	}
	vsyscall_returned(t);
	if (!s->armed)
		s->own = regs->flags & X86_EFLAGS_TF && !test_thread_flag(TIF_FORCED_TF);
	else if (enters_kernel(s))
		called(t, regs);
	else if (s->replaced)
		emit(t, TRAWL_KIND_EXEC, s->ip, regs->ip, 0);
	s->replaced = false;
	clear_copy(s, regs);
	look_ahead(s, regs);
	arm(s, current, regs);
}

void step_fork(struct traced *parent, struct task_struct *child)
{
	/*
	 * The kernel has cleared the child's trap flag, as it is marked as forced, but not the copy
	 * of it.
	 */
	if (parent->step.armed)
		clear_copy(&parent->step, task_pt_regs(child));
}

void step_exec(struct traced *t)
{
	t->step.replaced = true;
	t->step.own = false;
}

/*
 * A debugger that lets the task go on clears the trap flag, as if it had set it itself: set it
 * again. Not where another hook will set it, which must first see what others have done to it.
 */
void step_switched_in(struct traced *t, struct task_struct *task)
{
	struct step *s = &t->step;
	struct pt_regs *regs = task_pt_regs(task);
	bool ptraced = READ_ONCE(task->ptrace);

	if (!s->armed || !READ_ONCE(s->wanted) || s->signal || s->probing || enters_kernel(s))
		return;
	if (ptraced || s->ptraced) {
		if (regs->flags & X86_EFLAGS_TF && !test_tsk_thread_flag(task, TIF_FORCED_TF))
			s->own = true;
		if (regs->ip != s->ip && (!s->vsyscall || regs->ip != s->vsyscall)) {
			s->moved_from = s->vsyscall ?: s->ip;
			s->vsyscall = 0;
			s->ip = regs->ip;
		}
		s->decoded = false;
		s->blocks = test_tsk_thread_flag(task, TIF_BLOCKSTEP);
		s->ptraced = ptraced;
	}
	arm(s, task, regs);
}

void step_disarm(struct traced *t)
{
	struct step *s = &t->step;
	struct pt_regs *regs = task_pt_regs(t->task);

	if (s->armed && enters_kernel(s))
		clear_copy(s, regs);
	disarm(s, t->task, regs);
}

/*
 * Copies the program's own bytes from its file, for an address in memory at which a breakpoint is
 * set. May sleep.
 */
static size_t original_code(u64 ip, u8 *bytes)
{
	struct vm_area_struct *vma;
	struct file *file = NULL;
	loff_t offset = 0;
	ssize_t n = 0;

	mmap_read_lock(current->mm);
	vma = find_vma(current->mm, ip);
	if (vma && vma->vm_start <= ip && vma->vm_file) {
		file = get_file(vma->vm_file);
		offset = ((loff_t)vma->vm_pgoff << PAGE_SHIFT) + (ip - vma->vm_start);
	}
	mmap_read_unlock(current->mm);
	if (file) {
		n = kernel_read(file, bytes, INSN_MAX, &offset);
		fput(file);
	}
	return n > 0 ? n : 0;
}

/*
 * The breakpoint at s->ip has been handled, and the instruction that it replaces has been executed.
 */
static void probed(struct traced *t, struct pt_regs *regs)
{
	struct step *s = &t->step;
	u8 bytes[INSN_MAX];
	size_t n = original_code(s->ip, bytes);

	s->probing = false;
	rcu_read_lock();
	if (regs->ip == s->ip) {
		look_ahead(s, regs);
	} else {
		if (n)
			s->decoded = insn_decode(&s->insn, bytes, n, s->ip, user_64bit_mode(regs));
		advance(t, regs);
	}
	rcu_read_unlock();
}

/* A signal has been delivered to a handler, or was ignored. */
static void signalled(struct traced *t, struct pt_regs *regs)
{
	struct step *s = &t->step;
	int signal = s->signal;

	s->signal = 0;
	rcu_read_lock();
	/* An ip two bytes back is no jump: the system call is restarted. */
	if (regs->ip != s->ip && s->ip - regs->ip != 2) {
		s->own = false;
		emit(t, TRAWL_KIND_SIGNAL, s->ip, regs->ip, signal);
	}
	look_ahead(s, regs);
	rcu_read_unlock();
}

static void work_of(struct traced *t, struct pt_regs *regs)
{
	struct step *s = &t->step;

	if (current->flags & PF_EXITING)
		return;
	if (s->lbr_off)
		traced_resume_lbr(t);
	s->lbr_off = false;
	if (s->probing && current->utask && current->utask->active_uprobe)
		return;
	if (s->unprepared)
		traced_prepare(t);
	s->unprepared = false;
	if (!READ_ONCE(s->wanted)) {
		disarm(s, current, regs);
		traced_remove(t);
		return;
	}
	if (s->probing)
		probed(t, regs);
	if (s->signal)
		signalled(t, regs);
	if (!s->armed) {
		s->own = regs->flags & X86_EFLAGS_TF && !test_thread_flag(TIF_FORCED_TF);
		look_ahead(s, regs);
	}
	traced_prepare(t);
	traced_wait_for_room(t);
	arm(s, current, regs);
}

/* Task work: runs on the way back to user space, where it may sleep. */
static void work(struct callback_head *head)
{
	struct traced *t = container_of(head, struct traced, step.work);

	atomic_set(&t->step.queued, 0);
	work_of(t, task_pt_regs(current));
	traced_put(t);
	module_put(THIS_MODULE);
}
