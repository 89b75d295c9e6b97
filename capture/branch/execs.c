/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "capture/branch/execs.h"
#include "capture/branch/perfring.h"
#include "capture/sys/alloc.h"

static void forget(struct execs *x, pid_t tid)
{
	for (size_t i = 0; i < x->n; i++) {
		if (x->tids[i] == tid)
			x->tids[i--] = x->tids[--x->n];
	}
	perf_maps_exec(&x->before, tid);
}

static void note_exec(struct execs *x, const struct perf_map *maps, pid_t tid)
{
	static const struct perf_map_line all = {
		.end = UINT64_MAX, .prot = PROT_EXEC, .path = "" };

	if (tid == x->command) {
		x->command = 0;
		return;
	}
	if (execs_pending(x, tid)) { /* a second one: any branch may be of a program before */
		perf_maps_add(&x->before, tid, &all);
		return;
	}
	xgrow(x->tids, x->n);
	x->tids[x->n++] = tid;
	perf_maps_copy(&x->before, maps, tid);
}

void execs_note(struct execs *x, const struct perf_map *maps, const struct perf_event_header *h)
{
	struct { uint32_t pid, ppid, tid, ptid; } task;
	pid_t tid = perf_ring_execed(h);

	if (tid) {
		note_exec(x, maps, tid);
	} else if (h->type == PERF_RECORD_EXIT && h->size >= sizeof(*h) + sizeof(task)) {
		memcpy(&task, h + 1, sizeof(task));
		forget(x, (pid_t)task.tid);
	}
}

bool execs_pending(const struct execs *x, pid_t tid)
{
	for (size_t i = 0; i < x->n; i++) {
		if (x->tids[i] == tid)
			return true;
	}
	return false;
}

static bool within(const struct perf_map *maps, pid_t pid, const struct branch *b)
{
	return perf_maps_has(maps, pid, b->from) && perf_maps_has(maps, pid, b->to);
}

size_t execs_end(struct execs *x, const struct perf_map *maps, pid_t tid, const struct branch *b,
		 size_t n)
{
	struct perf_map *own = NULL; /* `maps` is of all processes */
	size_t first = n;

	perf_maps_copy(&own, maps, tid);
	while (first && within(own, tid, &b[first - 1]))
		first--;
	perf_maps_free(own);
	while (first < n && within(x->before, tid, &b[first]))
		first++;
	forget(x, tid);
	return first;
}

void execs_free(struct execs *x)
{
	perf_maps_free(x->before);
	free(x->tids);
}
