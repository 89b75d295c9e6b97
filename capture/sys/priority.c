/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <sched.h>
#include <sys/resource.h>

#include "capture/sys/priority.h"

enum { NICENESS = -15, LEVEL_QUICK = 6 };

void priority_first(int level)
{
	struct sched_param first = { .sched_priority = sched_get_priority_min(SCHED_RR) };

	if (level > LEVEL_QUICK || sched_setscheduler(0, SCHED_RR, &first))
		setpriority(PRIO_PROCESS, 0, NICENESS);
}

/* Sets the thread's real-time priority to `by` above the lowest, if it has one at all. */
static void set_rank(int by)
{
	struct sched_param p = { .sched_priority = sched_get_priority_min(SCHED_RR) + by };

	if (sched_getscheduler(0) == SCHED_RR)
		sched_setscheduler(0, SCHED_RR, &p);
}

/*
 * Another recorder may run on the new processor. Threads of equal real-time priority wait for each
 * other up to 100 ms there, so this one moves with a higher one.
 */
void priority_step_aside(void)
{
	cpu_set_t all, others;
	int cpu = sched_getcpu();

	if (cpu < 0 || sched_getaffinity(0, sizeof(all), &all))
		return;
	others = all;
	CPU_CLR(cpu, &others);
	if (!CPU_COUNT(&others))
		return;
	set_rank(1);
	if (!sched_setaffinity(0, sizeof(others), &others))
		sched_setaffinity(0, sizeof(all), &all);
	set_rank(0);
}
