/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>

#include "capture/branch/perfthreads.h"
#include "capture/sys/alloc.h"

static bool knows(const struct perf_threads *t, pid_t pid)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->list[i].pid == pid)
			return true;
	}
	return false;
}

/* tid 0: all of the process. Returns whether there was one. */
static bool remove_threads(struct perf_threads *t, pid_t pid, pid_t tid)
{
	size_t before = t->n;

	for (size_t i = 0; i < t->n;) {
		if (t->list[i].pid == pid && (!tid || t->list[i].tid == tid))
			t->list[i] = t->list[--t->n];
		else
			i++;
	}
	return t->n < before;
}

static void append(struct perf_threads *t, pid_t pid, pid_t tid)
{
	xgrow(t->list, t->n);
	t->list[t->n++] = (struct perf_thread){ pid, tid };
}

void perf_threads_fork(struct perf_threads *t, pid_t pid)
{
	remove_threads(t, pid, 0);
	append(t, pid, pid);
}

void perf_threads_add(struct perf_threads *t, pid_t pid, pid_t tid)
{
	if (knows(t, pid))
		append(t, pid, tid);
}

void perf_threads_exec(struct perf_threads *t, pid_t pid)
{
	if (knows(t, pid))
		perf_threads_fork(t, pid);
}

bool perf_threads_exit(struct perf_threads *t, pid_t pid, pid_t tid)
{
	return remove_threads(t, pid, tid) && !knows(t, pid);
}

void perf_threads_free(struct perf_threads *t)
{
	free(t->list);
	*t = (struct perf_threads){ 0 };
}
