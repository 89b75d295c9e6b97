/* SPDX-License-Identifier: MIT */
#include <time.h>

#include "format/clock.h"
#include "format/search.h"

static uint64_t reading(const struct trawl_sync *s, enum trawl_clock clock)
{
	switch (clock) {
	case TRAWL_CLOCK_REAL:
		return s->real;
	case TRAWL_CLOCK_BOOT:
		return s->boot;
	case TRAWL_CLOCK_MONO_RAW:
		return s->mono_raw;
	case TRAWL_CLOCK_TAI:
		return s->tai;
	case TRAWL_CLOCK_TSC:
		return s->tsc;
	default:
		return s->mono;
	}
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/*
 * Returns b - a, negative if b is earlier. On CLOCK_MONOTONIC a time before boot is negative, that
 * is, a huge unsigned number: only differences can be compared.
 */
static int64_t later(uint64_t b, uint64_t a)
{
	return (int64_t)(b - a);
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return later(a, b) < 0 ? b - a : a - b;
}

struct clock_map clock_map(const struct clock_sync *syncs, size_t n)
{
	if (!n)
		return (struct clock_map){ 0 };
	return (struct clock_map){ syncs, n, syncs->s.real - syncs->s.mono, syncs->s };
}

/*
 * Whether the kernel computes the clock as CLOCK_MONOTONIC plus an offset that changes only by
 * steps.
 */
static bool is_sum(enum trawl_clock clock)
{
	return clock == TRAWL_CLOCK_REAL || clock == TRAWL_CLOCK_BOOT || clock == TRAWL_CLOCK_TAI;
}

/*
 * Returns what a clock showed at the i-th sync block. The measured offset of such a clock jitters
 * by the error of the readings. Within that error the offset of the first block is used, so that
 * wall-clock times are exactly those that the kernel gave.
 */
static uint64_t value(const struct clock_map *m, size_t i, enum trawl_clock clock)
{
	const struct trawl_sync *s = &m->syncs[i].s, *f = &m->first;
	uint64_t read = reading(s, clock), even;

	if (!is_sum(clock))
		return read;
	even = s->mono + (reading(f, clock) - f->mono);
	return distance(read, even) <= s->bound + f->bound ? even : read;
}

size_t clock_syncs_before(const struct clock_map *m, uint64_t at)
{
	return partition_point(m->n, i, m->syncs[i].at < at);
}

/* ---- between two sync blocks ------------------------------------------------------------- */

/* ns: a source's resolution, plus the time from an event's time stamp to its commit. */
static const uint64_t SLACK = 1000000;

struct stretch {
	const struct trawl_sync *a, *b;
	uint64_t ca, cb; /* the clock at both ends */
	uint64_t from;   /* earliest CLOCK_MONOTONIC of events in the chunks between them */
};

/*
 * Events from before the first sync block may follow it in the file, back to the second block's
 * horizon: the time when the sources were read last.
 */
static struct stretch stretch_at(const struct clock_map *m, enum trawl_clock clock, size_t i)
{
	struct stretch s = { &m->syncs[i].s, &m->syncs[i + 1].s, 0, 0, 0 };

	s.ca = value(m, i, clock);
	s.cb = value(m, i + 1, clock);
	s.from = s.b->horizon > SLACK ? s.b->horizon - SLACK : s.a->mono;
	if (s.from > s.a->mono)
		s.from = s.a->mono;
	return s;
}

/* Returns by how many ns the clock advanced more or less than CLOCK_MONOTONIC. */
static uint64_t drift(const struct stretch *s)
{
	uint64_t dm = s->b->mono - s->a->mono, dc = s->cb - s->ca;

	return (int64_t)(dc - dm) < 0 ? dm - dc : dc - dm;
}

/*
 * Whether the clock was stepped. NTP slews by at most 500 ppm; a difference of twice that plus the
 * error of the readings is no step.
 */
static bool stepped(const struct stretch *s, enum trawl_clock clock)
{
	if (clock == TRAWL_CLOCK_TSC)
		return s->cb <= s->ca;
	return drift(s) > (s->b->mono - s->a->mono) / 1000 + s->a->bound + s->b->bound + 1000;
}

bool clock_was_set(const struct trawl_sync *a, const struct trawl_sync *b)
{
	struct stretch s = { a, b, a->real, b->real, 0 };

	return stepped(&s, TRAWL_CLOCK_REAL);
}

static uint64_t scale(uint64_t x, uint64_t num, uint64_t den)
{
	return den ? (uint64_t)((unsigned __int128)x * num / den) : x;
}

/*
 * Interpolates between both ends. Outside of them the clock is assumed to run at the rate of
 * CLOCK_MONOTONIC, because the slope between two close sync blocks is inaccurate. Only the time
 * stamp counter is extrapolated: its rate is not known otherwise.
 */
static uint64_t straight(const struct stretch *s, enum trawl_clock clock, uint64_t ts)
{
	uint64_t dm = s->b->mono - s->a->mono, dc = s->cb - s->ca;

	if (clock != TRAWL_CLOCK_TSC && ts < s->ca)
		return s->a->mono - (s->ca - ts);
	if (clock != TRAWL_CLOCK_TSC && ts > s->cb)
		return s->b->mono + (ts - s->cb);
	return ts >= s->ca ? s->a->mono + scale(ts - s->ca, dm, dc) :
			     s->a->mono - scale(s->ca - ts, dm, dc);
}

static uint64_t outside(const struct stretch *s, uint64_t mono)
{
	if (later(mono, s->from) < 0)
		return s->from - mono;
	return later(mono, s->b->mono) > 0 ? mono - s->b->mono : 0;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Converts ts by this stretch; *off is the distance of the result from the stretch, ns. */
static uint64_t on_stretch(const struct stretch *s, enum trawl_clock clock, uint64_t ts,
			   uint64_t *off)
{
	uint64_t before, after, mono;

	if (!stepped(s, clock)) {
		mono = straight(s, clock, ts);
		*off = outside(s, mono);
		return mono;
	}
	if (clock == TRAWL_CLOCK_TSC) { /* it was reset, so its rate is not known */
		*off = distance(ts, s->ca);
		return s->a->mono;
	}
	before = s->a->mono + (ts - s->ca);
	after = s->b->mono + (ts - s->cb);
	mono = outside(s, before) <= outside(s, after) ? before : after;
	*off = outside(s, mono);
	return mono;
}

/* ---- the whole section ------------------------------------------------------------------- */

struct best {
	uint64_t mono, off;
	bool any;
};

static void try_stretch(const struct clock_map *m, enum trawl_clock clock, size_t i, uint64_t ts,
			struct best *best)
{
	struct stretch s;
	uint64_t mono, off;

	if (i + 1 >= m->n || (best->any && !best->off))
		return;
	s = stretch_at(m, clock, i);
	mono = on_stretch(&s, clock, ts, &off);
	if (best->any && off >= best->off)
		return;
	*best = (struct best){ mono, off, true };
}

size_t clock_find(const struct clock_map *m, enum trawl_clock clock, uint64_t ts)
{
	/* The last block whose clock showed no more than ts, or the first block. */
	return partition_point(m->n - 1, i, value(m, i + 1, clock) <= ts);
}

/* Returns the stretch in which a time stamp is searched first. */
static size_t first_stretch(const struct clock_map *m, enum trawl_clock clock, uint64_t ts,
			    size_t after)
{
	size_t i = after == SIZE_MAX ? clock_find(m, clock, ts) : after ? after - 1 : 0;

	return i + 1 >= m->n ? m->n - 2 : i;
}

uint64_t clock_to_mono(const struct clock_map *m, enum trawl_clock clock, uint64_t ts,
		       size_t after)
{
	const struct trawl_sync *s;
	struct best best = { 0 };
	size_t i;

	if (clock == TRAWL_CLOCK_MONO || !m->n)
		return ts;
	if (m->n == 1) {
		s = &m->syncs[0].s;
		return clock == TRAWL_CLOCK_TSC ? s->mono : s->mono + (ts - value(m, 0, clock));
	}
	i = first_stretch(m, clock, ts, after);
	try_stretch(m, clock, i, ts, &best);
	if (i)
		try_stretch(m, clock, i - 1, ts, &best);
	try_stretch(m, clock, i + 1, ts, &best);
	return best.mono;
}

/*
 * Returns the largest distance from `mono` of the event's time as converted by the sync blocks at
 * both ends of the stretch, and by the one before it. A sync block counts only if the event can
 * have been written to the file near it at that time.
 */
static uint64_t doubt(const struct clock_map *m, enum trawl_clock clock, size_t i, uint64_t ts,
		      uint64_t mono)
{
	struct stretch s = stretch_at(m, clock, i);
	uint64_t most = 0, to, at;

	for (size_t k = i ? i - 1 : 0; k <= i + 1; k++) {
		at = m->syncs[k].s.mono + (ts - value(m, k, clock));
		to = k < i ? s.a->mono : s.b->mono;
		if (at >= s.from && at <= to)
			most = larger(most, distance(at, mono));
	}
	return most;
}

uint64_t clock_bound(const struct clock_map *m, enum trawl_clock clock, uint64_t ts, size_t after,
		     uint64_t mono)
{
	uint64_t bound = m->n ? m->syncs[0].s.bound : UINT64_MAX, own, moved;
	struct stretch s;
	size_t i;

	if (clock == TRAWL_CLOCK_MONO || !m->n)
		return bound;
	own = clock_to_mono(m, clock, ts, after);
	moved = apart(own, mono); /* a stream's time never goes back */
	if (m->n == 1 && clock == TRAWL_CLOCK_TSC)
		return UINT64_MAX; /* its rate is not known */
	if (m->n == 1)
		return bound + moved + apart(own, m->syncs[0].s.mono) / 2000;
	i = first_stretch(m, clock, ts, after);
	s = stretch_at(m, clock, i);
	bound = larger(s.a->bound, s.b->bound);
	if (is_sum(clock))
		bound = larger(bound, m->first.bound);
	bound += outside(&s, own) / 2000;
	if (clock == TRAWL_CLOCK_TSC)
		return bound + moved + (stepped(&s, clock) ? s.b->mono - s.a->mono : 0);
	return bound + larger(moved, doubt(m, clock, i, ts, mono));
}

/*
 * The offset of a chunk's time stamps may be that of any sync block near it, or between those of
 * two: the pairs that clock_to_mono() tries.
 */
static void around(const struct clock_map *m, enum trawl_clock clock, uint64_t ts, size_t after,
		   uint64_t *least, uint64_t *most)
{
	size_t i = after ? after - 1 : 0, to;
	uint64_t mono;

	if (i + 1 >= m->n)
		i = m->n > 1 ? m->n - 2 : 0;
	to = i + 2;
	*least = UINT64_MAX;
	*most = 0;
	for (i = i ? i - 1 : 0; i <= to && i < m->n; i++) {
		mono = m->syncs[i].s.mono + (ts - value(m, i, clock));
		if ((int64_t)mono < 0)
			mono = 0;
		*least = mono < *least ? mono : *least;
		*most = larger(*most, mono);
	}
	*least -= *least ? 1 : 0; /* divisions round */
	*most += 1;
}

uint64_t clock_earliest(const struct clock_map *m, enum trawl_clock clock, uint64_t first,
			size_t after)
{
	uint64_t least, most, horizon;

	if (clock == TRAWL_CLOCK_MONO || !m->n)
		return first;
	if (clock == TRAWL_CLOCK_TSC)
		least = clock_to_mono(m, clock, first, after);
	else
		around(m, clock, first, after, &least, &most);
	horizon = after && after <= m->n ? m->syncs[after - 1].s.horizon : 0;
	return larger(least, horizon);
}

uint64_t clock_latest(const struct clock_map *m, enum trawl_clock clock, uint64_t last,
		      size_t after)
{
	uint64_t least, most;

	if (clock == TRAWL_CLOCK_MONO || !m->n)
		return last;
	if (clock == TRAWL_CLOCK_TSC)
		return clock_to_mono(m, clock, last, after);
	around(m, clock, last, after, &least, &most);
	return most;
}

/* ---- reading the clocks ------------------------------------------------------------------ */

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t tsc_now(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

/* All clocks between two readings of CLOCK_MONOTONIC; its own value is the middle of them. */
static void sandwich(struct trawl_sync *s)
{
	uint64_t from = now(CLOCK_MONOTONIC), to;

	s->real = now(CLOCK_REALTIME);
	s->boot = now(CLOCK_BOOTTIME);
	s->tsc = tsc_now();
	s->mono_raw = now(CLOCK_MONOTONIC_RAW);
	s->tai = now(CLOCK_TAI);
	to = now(CLOCK_MONOTONIC);
	s->mono = from + (to - from) / 2;
	s->bound = to - from;
}

void trawl_sync_now(struct trawl_sync *sync)
{
	enum { TRIES = 8 };
	struct trawl_sync best = { .bound = UINT64_MAX };

	for (int i = 0; i < TRIES; i++) {
		struct trawl_sync s = { 0 };

		sandwich(&s);
		if (s.bound < best.bound)
			best = s;
	}
	*sync = best;
}
