/* SPDX-License-Identifier: MIT */
/*
 * The threads of processes, from perf's records of fork(), exec() and exit: which record is the
 * last of a process. A process is known from the record of its fork().
 */
#ifndef TRAWL_CAPTURE_BRANCH_PERFTHREADS_H
#define TRAWL_CAPTURE_BRANCH_PERFTHREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct perf_thread {
	pid_t pid, tid;
};

struct perf_threads {
	struct perf_thread *list;
	size_t n;
};

/* A new process, whose first thread is `pid`. */
void perf_threads_fork(struct perf_threads *t, pid_t pid);
/* A new thread; ignored if the process is not known. */
void perf_threads_add(struct perf_threads *t, pid_t pid, pid_t tid);
/* The process has executed a program, with one thread, which is `pid` now. */
void perf_threads_exec(struct perf_threads *t, pid_t pid);
/* The thread has ended. Returns whether it was the last one of its process. */
bool perf_threads_exit(struct perf_threads *t, pid_t pid, pid_t tid);
/* Forgets all processes: records have been lost. */
void perf_threads_free(struct perf_threads *t);

#endif
