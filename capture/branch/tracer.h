/* SPDX-License-Identifier: MIT */
/*
 * Single steps through ptrace: a thread that is the tracer of tasks and of all that they start.
 *
 *	tracer_attach()  in the thread, first: takes hold of the tasks, which run on
 *	tracer_run()     steps them until it is told to stop, or all have ended
 *
 * A task is in one of these states between two calls of ptrace():
 *	free     it runs: seized, and not yet to be recorded (COMMAND before its exec)
 *	stepped  it was let go for one instruction; the next stop says what that was
 *	listens  it is stopped for a signal (SIGSTOP ...) and stays so until SIGCONT
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
	bool stepped;     /* its next stop says what step.insn did */
	bool known;       /* step is of where it is now */
	bool in_call;     /* it may have stopped in the middle of a system call */
	bool told;        /* the reader was told of it */
	int delivered;    /* the signal that it was handed with the last step; 0: none */
	struct step step;
};

struct tracer {
	struct branch_queue queue;
	struct tracee *tracees[TRACER_BUCKETS];
	size_t n;
	pid_t command;       /* runs free until its exec; 0: none */
	struct code_cache cache;
	atomic_bool stop;
	int failure;         /* errno of what ended it; 0: none */
};

int tracer_attach(struct tracer *t, const struct branch_scope *scope, struct trawl_error *err);
/* Begins to step the tasks of -p. */
void tracer_begin(struct tracer *t);
void tracer_run(struct tracer *t);
void tracer_free(struct tracer *t);

#endif
