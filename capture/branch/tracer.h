/* SPDX-License-Identifier: MIT */
/*
 * Single steps by ptrace: a thread traces tasks and all that they start.
 *
 *	tracer_attach()  in the thread, first: takes hold of the tasks, which run on
 *	tracer_run()     steps them until t->stop is set, or all have ended
 *
 * Between two stops a task is in one of these states:
 *	free     it runs and is not recorded: COMMAND before its exec (tracer.command is its pid), and
 *		 tasks of -p before tracer_begin()
 *	stepped  PTRACE_SINGLESTEP let it run one instruction, tracee.step.insn; what that did is
 *		 seen at the next stop. `known` is true, unless the registers could not be read.
 *	listens  it is stopped by SIGSTOP or its like until SIGCONT (PTRACE_LISTEN); `known` stays
 */
#ifndef TRAWL_CAPTURE_BRANCH_TRACER_H
#define TRAWL_CAPTURE_BRANCH_TRACER_H

#include <stdatomic.h>
#include "capture/branch/backend.h"
#include "capture/branch/codecache.h"
#include "capture/branch/queue.h"
#include "capture/branch/step.h"

enum { TRACER_BUCKETS = 1024 };

struct tracee {
	struct tracee *next;
	pid_t tid, pid;
	bool known;       /* step has the registers and the instruction of its last stop */
	bool stepped;     /* the processor's trap flag may be set: without a tracer it is killed */
	bool flagged;     /* the kernel takes the tracer's trap flag for the task's own (popflags.h) */
	bool announced;   /* its BRANCH_EVENT_TASK or _EXEC was emitted */
	struct step step;
};

struct tracer {
	struct branch_queue queue;
	struct tracee *tracees[TRACER_BUCKETS];
	size_t n;
	pid_t command;       /* runs free until its exec; 0: none */
	struct code_cache cache;
	atomic_bool stop;
	atomic_int stuck; /* tracer_run() waits for this task to leave the kernel; 0: none */
};

int tracer_attach(struct tracer *t, const struct branch_scope *scope, struct trawl_error *err);
/* Begins to step the tasks of -p. */
void tracer_begin(struct tracer *t);
/*
 * After t->stop it detaches all tasks. One that sleeps uninterruptibly cannot be detached until it
 * wakes: it is t->stuck meanwhile, if it was stepped. Others are left to the end of the thread,
 * which detaches them.
 */
void tracer_run(struct tracer *t);
void tracer_free(struct tracer *t);

#endif
