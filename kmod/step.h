/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The provider "step": with the trap flag set in a task's saved flags, the processor raises a debug
 * exception after each instruction; from two successive states the module derives the branch that
 * was taken.
 *
 * In the following places the trap flag would be lost, or the program would see it; the right
 * column names the hook that deals with it:
 *	syscall			copies the flags to r11		step_syscall_exit()
 *	pushf			copies them to the stack	at the trap after it
 *	popf, iret		set or clear the flag		at the trap after it: `own`
 *	mov ss			gives no trap			decoded together with the next one
 *	a signal's handler	begins with the flag clear, and	step_signal(), then task work
 *				the frame would keep it
 *	sigreturn		restores the frame's flags	step_syscall_exit()
 *	exec			begins with the flag clear	step_syscall_exit()
 *	fork			copies it			step_fork()
 *	a debugger that goes on	clears it			step_switched_in()
 *	a uprobe		takes it for the program's own	step_breakpoint(), then task work
 */
#ifndef TRAWL_KMOD_STEP_H
#define TRAWL_KMOD_STEP_H

#include <linux/ptrace.h>
#include "kmod/traced.h"

/*
 * step_begin() - if steps of the task are wanted, asks the task to set its trap flag on its way to
 * user space. Called under rcu_read_lock(), or while the task cannot run.
 */
void step_begin(struct traced *traced, struct task_struct *task);

/*
 * step_lbr_off() - notes that a debug exception of the current task has switched off its branch
 * records, or that perf has given them up, so that they are switched on again.
 */
void step_lbr_off(struct traced *traced);

/*
 * Hooks, called under rcu_read_lock() and for the current task, except for step_fork() and
 * step_switched_in().
 */
int step_debug(struct traced *traced, struct pt_regs *regs, unsigned long *dr6);
void step_breakpoint(struct traced *traced, struct pt_regs *regs);
void step_syscall_exit(struct traced *traced, struct pt_regs *regs);
void step_signal(struct traced *traced, int signal);
void step_fork(struct traced *parent, struct task_struct *child);
void step_exec(struct traced *traced);
void step_switched_in(struct traced *traced, struct task_struct *task);

/* step_disarm() - at unload: clears the trap flag of a task that cannot run. */
void step_disarm(struct traced *traced);

#endif
