/* SPDX-License-Identifier: MIT */
/* Processes and threads, as /proc lists them. */
#ifndef TRAWL_CAPTURE_SYS_PROC_H
#define TRAWL_CAPTURE_SYS_PROC_H

#include <stdbool.h>
#include <sys/types.h>

/* Calls found() for each thread of the task's process. Returns false if the task is gone. */
bool threads_each(pid_t tid, void (*found)(void *arg, pid_t tid), void *arg);
/* Calls found() for each process. Returns false if /proc cannot be read. */
bool processes_each(void (*found)(void *arg, pid_t pid), void *arg);

/*
 * Whether this process is in another PID namespace than the first, as in a container. The kernel's
 * events have PIDs of the first one, which in this namespace's /proc are other processes, or none.
 */
bool proc_is_nested(void);

/* Returns the process that a task is a thread of; 0: the task is gone. */
pid_t proc_process(pid_t tid);
/* Returns the tracer of a task; 0: there is none, or the task is gone. */
pid_t proc_tracer(pid_t tid);
/*
 * Returns whether a thread of the process has memory of its own: kernel threads have none, nor has
 * a first thread that has ended before the others.
 */
bool proc_has_memory(pid_t pid);
/* Returns whether a task is on a CPU, or waits for one only. */
bool proc_is_runnable(pid_t tid);
/* Returns whether all threads of the process have ended, and its parent has not noticed yet. */
bool proc_is_zombie(pid_t pid);

/*
 * Writes the value of the first line that begins with `key`, such as `KEY: VALUE`, `KEY=VALUE` or
 * `KEY="VALUE"`, of a file of /proc, /sys or /etc to `value`; "" if there is none.
 */
void proc_value(const char *path, const char *key, char *value, size_t size);
/* Returns the number with which a file of /proc or /sys begins; `other` if there is none. */
long proc_number(const char *path, long other);

#endif
