/* SPDX-License-Identifier: MIT */
#include "capture/branch/contention.h"

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
		c->from = c->until == c->checked ? c->from : c->checked;
		c->until = ended;
		c->missed = missed;
	}
	c->checked = ended;
	return more;
}

void contention_doubt(struct contention *c, uint64_t now)
{
	c->from = c->until == c->checked ? c->from : c->checked;
	c->until = c->checked = now;
}

bool contention_between(const struct contention *c, uint64_t after, uint64_t time)
{
	return time > c->from && after < c->until;
}
