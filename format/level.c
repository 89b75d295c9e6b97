/* SPDX-License-Identifier: MIT */
#include "format/level.h"

enum { SPARE = 10 }; /* 1/SPARE of the time must be left */

/* zstd levels; each is about 1.5 times as fast as the one before, on program files and text. */
static const int fast_levels[LEVEL_RUNGS - 2] = { -3, -10, -50 };

int level_of_rung(unsigned int rung, int wanted)
{
	if (!rung)
		return wanted;
	return rung < LEVEL_RUNGS - 1 ? fast_levels[rung - 1] : LEVEL_STORED;
}

static bool known(const struct adaptive_level *p, unsigned int rung)
{
	const struct level_cost *c = &p->cost[rung];

	return c->at && p->bytes - c->at < LEVEL_STALE;
}

/* Returns the cost of a rung: ns for a byte of records. */
static double cost(const struct adaptive_level *p, unsigned int rung)
{
	return p->cost[rung].encode + p->cost[rung].left * p->write;
}

/*
 * Returns the rung below if it is cheaper; else the rung above if that is cheaper or not measured.
 * Only neighbours need to be compared, because costs rise on both sides of the cheapest rung.
 */
static unsigned int cheaper(const struct adaptive_level *p)
{
	unsigned int rung = p->rung, up = rung + 1;

	if (!known(p, rung))
		return rung;
	if (rung && known(p, rung - 1) && cost(p, rung - 1) < cost(p, rung))
		return rung - 1;
	return up < LEVEL_RUNGS && (!known(p, up) || cost(p, up) < cost(p, rung)) ? up : rung;
}

void level_busy(struct adaptive_level *p, uint64_t bytes)
{
	p->came += bytes;
	p->late += bytes;
	if (p->late < LEVEL_PATIENCE)
		return;
	p->late = 0;
	p->rung = cheaper(p);
}

/*
 * Whether the worker would have kept up on this rung with 1/SPARE of the time left; without a
 * reserve it would fall behind again at once. A rung that was not measured is tried if that much is
 * left on the current one.
 */
static bool affordable(const struct adaptive_level *p, unsigned int rung, uint64_t idle,
		       uint64_t time)
{
	if (!known(p, rung))
		return idle > time / SPARE;
	return cost(p, rung) * (double)p->came < (double)(time - time / SPARE);
}

void level_idle(struct adaptive_level *p, uint64_t bytes, uint64_t idle, uint64_t now)
{
	/* a burst after an idle time could have been spread over it */
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

void level_chunk(struct adaptive_level *p, unsigned int rung, uint64_t bytes, uint64_t len,
		 uint64_t encode, uint64_t write)
{
	struct level_cost *c = &p->cost[rung];
	bool have = known(p, rung);

	if (bytes < LEVEL_LEAST || !len)
		return;
	c->encode = mean(c->encode, (double)encode / (double)bytes, have);
	c->left = mean(c->left, (double)len / (double)bytes, have);
	p->write = mean(p->write, (double)write / (double)len, p->bytes);
	p->bytes += bytes;
	c->at = p->bytes;
}
