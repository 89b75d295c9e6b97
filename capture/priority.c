/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <sched.h>
#include <sys/resource.h>

#include "priority.h"

enum { NICENESS = -15, LEVEL_QUICK = 6 };

void priority_first(int level)
{
	struct sched_param first = { .sched_priority = sched_get_priority_min(SCHED_RR) };

	if (level > LEVEL_QUICK || sched_setscheduler(0, SCHED_RR, &first))
		setpriority(PRIO_PROCESS, 0, NICENESS);
}
