/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the kernel calls the module: tracepoints, looked up by name, and the notifier of
 * exceptions. */
#ifndef KMOD_HOOKS_H
#define KMOD_HOOKS_H

/*
 * hooks_start() - before a session traces its first task. Each switch of tasks and each system call
 * of the machine is a little slower from then on. Returns -ENOENT where the kernel lacks a
 * tracepoint. May sleep.
 */
int hooks_start(void);

/*
 * hooks_stop() - a session that started them has ended. They go with the last one, or, where a task
 * sleeps that has not yet noticed the end of its tracing, with a later one.
 */
void hooks_stop(void);

/* hooks_exit() - at unload: they go, and so does whatever the module has left in tasks. */
void hooks_exit(void);

#endif
