/* SPDX-License-Identifier: MIT */
#include "capture/task/crash.h"

#include <signal.h>
#include <stdlib.h>

#include "capture/sys/alloc.h"

void crash_begin(struct crash *c, pid_t pid, uint32_t max)
{
	*c = (struct crash){ .pid = pid, .max = max };
	c->threads = xcalloc(max / 64 + 1, sizeof(*c->threads));
	if (pid > 0 && (uint32_t)pid < max)
		c->threads[pid / 64] |= 1ull << (pid % 64);
}

void crash_end(struct crash *c)
{
	free(c->threads);
	c->threads = NULL;
}

static bool has(const struct crash *c, pid_t tid)
{
	return c->threads && tid > 0 && (uint32_t)tid < c->max &&
	       c->threads[tid / 64] >> (tid % 64) & 1;
}

void crash_on_task(struct crash *c, pid_t by, pid_t tid, bool thread)
{
	if (!c->threads || tid <= 0 || (uint32_t)tid >= c->max)
		return;
	if (thread && has(c, by))
		c->threads[tid / 64] |= 1ull << (tid % 64);
	else /* the TID may have been that of a thread */
		c->threads[tid / 64] &= ~(1ull << (tid % 64));
}

void crash_on_signal(struct crash *c, pid_t tid, int sig, uint64_t time)
{
	if (sig > 0 && sig < CRASH_SIGNALS)
		c->last[sig][c->n[sig]++ % CRASH_KEPT] = (struct crash_signal){ time, tid };
}

struct crash_signal crash_of(const struct crash *c, int sig)
{
	struct crash_signal found = { 0 };

	for (size_t i = 0; sig > 0 && sig < CRASH_SIGNALS && i < CRASH_KEPT; i++) {
		const struct crash_signal *s = &c->last[sig][i];

		if (s->time > found.time && has(c, s->tid))
			found = *s;
	}
	if (found.time && sig == SIGKILL)
		found.tid = c->pid;
	return found;
}
