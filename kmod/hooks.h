/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The places where the kernel calls the module: tracepoints, which are looked up by name, and the
 * die notifier, for debug exceptions.
 */
#ifndef TRAWL_KMOD_HOOKS_H
#define TRAWL_KMOD_HOOKS_H

/*
 * hooks_start() - connects the hooks, or counts one more user. Called before a session traces its
 * first task. While they are connected, each switch of tasks and each system call of the machine is
 * a little slower. Returns 0, or -ENOENT where the kernel lacks a tracepoint. May sleep.
 */
int hooks_start(void);

/*
 * hooks_stop() - takes hooks_start() back when a session ends. The hooks are disconnected with the
 * last session; but if a task sleeps in the kernel and has not noticed yet that its tracing has
 * ended, only with the last session after that.
 */
void hooks_stop(void);

/* hooks_exit() - at unload: disconnects the hooks and removes what the module has left in tasks. */
void hooks_exit(void);

#endif
