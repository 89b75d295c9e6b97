/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <unistd.h>

#include "capture/branch/forks.h"

void forks_open(struct forks *f, const struct branch_scope *scope)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY };
	struct trawl_error ignored;

	perf_ring_attr(&a);
	a.mmap = a.mmap2 = a.comm = a.comm_exec = 0;
	a.wakeup_watermark = 1;
	if (perf_ring_open(&f->ring, &a, scope, 1, &ignored) ||
	    f->ring.fds[f->ring.nfds - 1] > sysconf(_SC_OPEN_MAX) / 2)
		forks_close(f);
}

int forks_enable(struct forks *f, struct trawl_error *err)
{
	return perf_ring_enable(&f->ring, true, err);
}

void forks_close(struct forks *f)
{
	perf_ring_close(&f->ring);
}

size_t forks_fds(const struct forks *f, struct pollfd *fds, size_t room)
{
	return perf_ring_fds(&f->ring, fds, room);
}

int forks_each(struct forks *f, void (*fn)(void *arg, pid_t pid, pid_t tid), void *arg,
	       struct trawl_error *err)
{
	const struct perf_held *h;

	if (perf_ring_fill(&f->ring, err))
		return -1;
	while ((h = perf_ring_next(&f->ring, UINT64_MAX))) {
		const struct perf_task_record *t = (const struct perf_task_record *)h->record;

		if (h->record->type == PERF_RECORD_FORK)
			fn(arg, (pid_t)t->pid, (pid_t)t->tid);
		perf_ring_done(&f->ring, h);
	}
	return 0;
}
