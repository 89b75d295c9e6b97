/* SPDX-License-Identifier: MIT */
#include "format/level.h"

enum { SPARE = 10 }; /* one part in so many of the time is left */

/* From 1 to 50 times as fast as level 1, in steps of about 1.5 on program files and text. */
static const int fast_levels[PACE_RUNGS - 2] = { -3, -10, -50 };

int pace_level(unsigned int rung, int wanted)
{
	if (!rung)
		return wanted;
	return rung < PACE_RUNGS - 1 ? fast_levels[rung - 1] : PACE_STORED;
}

static bool known(const struct pace *p, unsigned int rung)
{
	const struct pace_cost *c = &p->cost[rung];

	return c->at && p->bytes - c->at < PACE_STALE;
}

/* ns for a byte of records. */
static double cost(const struct pace *p, unsigned int rung)
{
	return p->cost[rung].encode + p->cost[rung].left * p->write;
}

/*
 * The rung below if it is cheaper, or the one above if that is, or if nobody knows. From the
 * cheapest one on, costs rise to both sides.
 */
static unsigned int cheaper(const struct pace *p)
{
	unsigned int rung = p->rung, up = rung + 1;

	if (!known(p, rung))
		return rung;
	if (rung && known(p, rung - 1) && cost(p, rung - 1) < cost(p, rung))
		return rung - 1;
	return up < PACE_RUNGS && (!known(p, up) || cost(p, up) < cost(p, rung)) ? up : rung;
}

void pace_busy(struct pace *p, uint64_t bytes)
{
	p->came += bytes;
	p->late += bytes;
	if (p->late < PACE_PATIENCE)
		return;
	p->late = 0;
	p->rung = cheaper(p);
}

/*
 * Could it have kept up on this rung, with a part of the time to spare? At the limit, it would be
 * late again at once. What is not known is tried when there is as much to spare now.
 */
static bool affordable(const struct pace *p, unsigned int rung, uint64_t idle, uint64_t time)
{
	if (!known(p, rung))
		return idle > time / SPARE;
	return cost(p, rung) * (double)p->came < (double)(time - time / SPARE);
}

void pace_idle(struct pace *p, uint64_t bytes, uint64_t idle, uint64_t now)
{
	/* What came at once could have been spread out. */
	if (now - idle > (now - p->since) / SPARE)
		p->late = 0;
	for (unsigned int r = 0; r < p->rung; r++) {
		if (affordable(p, r, now - idle, now - p->since)) {
			p->rung = r;
			p->late = 0;
		}
	}
	p->since = now;
	p->came = bytes;
}

static double mean(double old, double new, bool have)
{
	return have ? old + (new - old) / 4 : new;
}

void pace_chunk(struct pace *p, unsigned int rung, uint64_t bytes, uint64_t len, uint64_t encode,
		uint64_t write)
{
	struct pace_cost *c = &p->cost[rung];
	bool have = known(p, rung);

	if (bytes < PACE_LEAST || !len)
		return;
	c->encode = mean(c->encode, (double)encode / (double)bytes, have);
	c->left = mean(c->left, (double)len / (double)bytes, have);
	p->write = mean(p->write, (double)write / (double)len, p->bytes);
	p->bytes += bytes;
	c->at = p->bytes;
}
