/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "capture/branch/dating.h"
#include "capture/sys/clock.h"
#include "capture/sys/proc.h"

/* After a task has left its CPU, what was collected of it is there at the latest so long after. */
static const uint64_t LEAVING_NS = 20000000;
/* A task that may be on a CPU for longer is looked for. */
static const uint64_t LONG_NS = 200000000;

static uint64_t last_known(const struct dating *d)
{
	uint64_t last = d->begun > d->came ? d->begun : d->came;

	return last > d->collected ? last : d->collected;
}

static void raise_to(uint64_t *time, uint64_t least, uint64_t most)
{
	if (*time < least && least <= most)
		*time = least;
}

void dating_collect(struct dating *d, uint64_t time, uint64_t begin)
{
	if (time == d->collected)
		return;
	d->since = d->collected ? d->collected : d->begun;
	raise_to(&d->since, d->came, time);
	raise_to(&d->since, d->seen, time);
	raise_to(&d->since, begin, UINT64_MAX);
	d->collected = time;
}

uint64_t dating_earliest(struct dating *d, pid_t tid, uint64_t until)
{
	uint64_t last = last_known(d);
	bool off = d->left > d->came && d->left > d->begun;

	if (!last || last > until || (off && d->left + LEAVING_NS <= until))
		return until;
	if (d->seen > last && d->seen + LEAVING_NS <= until)
		last = d->seen;
	if (last + LONG_NS < until && !proc_is_runnable(tid))
		d->seen = mono_now();
	return last;
}
