/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>

#include "capture/branch/contention.h"
#include "capture/sys/alloc.h"

void contention_free(struct contention *c)
{
	free(c->ranges);
	*c = (struct contention){ 0 };
}

/* Adds the time from the last decision to `until`. */
static void add_range(struct contention *c, uint64_t until)
{
	if (c->n && c->ranges[c->n - 1].until == c->checked) {
		c->ranges[c->n - 1].until = until;
		return;
	}
	xgrow(c->ranges, c->n);
	c->ranges[c->n++] = (struct contention_range){ c->checked, until };
}

bool contention_check(struct contention *c, uint64_t could, uint64_t did, uint64_t began,
		      uint64_t ended, size_t cpus)
{
	uint64_t missed = could > did ? could - did : 0, grown;
	/* While one event is read, the events of other CPUs keep counting. */
	uint64_t skew = (ended - began) * cpus;
	bool more;

	/* First call: the events of the CPUs were started one after the other. */
	if (!c->checked) {
		c->missed = missed;
		c->checked = ended;
		return false;
	}
	grown = missed > c->missed ? missed - c->missed : 0;
	more = grown > skew + CONTENTION_SLACK_NS;
	if (!more && grown > CONTENTION_SLACK_NS) { /* could be skew: decide at the next call */
		if (ended - c->checked < CONTENTION_DOUBT_NS)
			return false;
		more = true;
	}
	if (more) {
		add_range(c, ended);
		c->missed = missed;
	}
	c->checked = ended;
	return more;
}

void contention_doubt(struct contention *c, uint64_t now)
{
	add_range(c, now);
	c->checked = now;
}

bool contention_between(const struct contention *c, uint64_t after, uint64_t time)
{
	for (size_t i = c->n; i > 0 && c->ranges[i - 1].until > after; i--) {
		if (time > c->ranges[i - 1].from)
			return true;
	}
	return false;
}
