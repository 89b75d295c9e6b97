/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The provider "step": the trap flag in a task's saved flags gives a debug exception after each
 * instruction, from which the branch that was taken is derived.
 *
 * The trap flag is lost, or would be seen by the program, at some places; each has its hook:
 *	syscall			puts the flags into r11		step_syscall_exit()
 *	pushf			puts them on the stack		at the trap after it
 *	popf, iret		sets and clears the flag	at the trap after it: `own`
 *	mov ss			has no trap			decoded together with the next one
 *	a signal's handler	begins without, and its frame	step_signal(), then step_work()
 *				would keep it
 *	sigreturn		restores what the frame has	step_syscall_exit()
 *	exec			begins with none		step_syscall_exit()
 *	fork			copies it			step_fork()
 *	a debugger that goes on	clears it			step_switched_in()
 *	a uprobe		takes it for the program's own	step_breakpoint(), then step_work()
 */
#ifndef KMOD_STEP_H
#define KMOD_STEP_H

#include <linux/ptrace.h>
#include "kmod/traced.h"

/*
 * step_begin() - if a task is wanted, asks it to set its flag on its way to user space. Under
 * rcu_read_lock(), or as the task cannot run.
 */
void step_begin(struct traced *traced, struct task_struct *task);

/* step_lbr_off() - a debug exception of the current task: its branch records are switched on
 * again. */
void step_lbr_off(struct traced *traced);

/* Hooks. All of them under rcu_read_lock(), and of the current task but for fork and
 * switched_in. */
int step_debug(struct traced *traced, struct pt_regs *regs, unsigned long *dr6);
void step_breakpoint(struct traced *traced, struct pt_regs *regs);
void step_syscall_exit(struct traced *traced, struct pt_regs *regs);
void step_signal(struct traced *traced, int signal);
void step_fork(struct traced *parent, struct task_struct *child);
void step_exec(struct traced *traced);
void step_switched_in(struct traced *traced, struct task_struct *task);

/* step_disarm() - takes the flag out of a task that can't run: at unload. */
void step_disarm(struct traced *traced);

#endif
