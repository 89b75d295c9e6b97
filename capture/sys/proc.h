/* SPDX-License-Identifier: MIT */
/* Who there is, by /proc. */
#ifndef TRAWL_CAPTURE_SYS_PROC_H
#define TRAWL_CAPTURE_SYS_PROC_H

#include <stdbool.h>
#include <sys/types.h>

/* Calls found() for each thread of the process that a task is of; false if it is gone. */
bool threads_each(pid_t tid, void (*found)(void *arg, pid_t tid), void *arg);
/* The same for all processes that there are. */
bool processes_each(void (*found)(void *arg, pid_t pid), void *arg);

/*
 * Is this a PID namespace of its own, as containers have? The kernel's events have the numbers of
 * the first one, where /proc here tells other processes by them.
 */
bool proc_is_nested(void);

/* The process that a task is a thread of; 0: the task is gone. */
pid_t proc_process(pid_t tid);
/* Who traces a task; 0: nobody, or the task is gone. */
pid_t proc_tracer(pid_t tid);

#endif
