/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdbool.h>

#include "format/ticks.h"
#include "format/varint.h"

enum {
	SHORT = 3000,          /* ns: largest difference in which a tick is searched */
	FEW = 64, MANY = 512,  /* least and most number of such differences */
	SHORTEST = 3,          /* ns: a shorter tick saves less than its corrections cost */
	STEPS = 4,             /* search steps for each period in the longest difference */
	LONG = 50000000,       /* ns: largest difference by which the length is refined */
	SEARCHES = 4,
	TOO_LONG = 38,         /* bits of a difference that is not converted */
	CORRECTION_BITS = 10,  /* approximate size of a correction */
};

/* Differences of times that are over `from` and at most `to` ns. */
struct differences {
	uint64_t from, to;
	uint32_t n;
	double d[MANY];
};

/* Adds those of events that are `step` apart in chunk order. */
static void gather(struct differences *to, const uint64_t *ts, uint32_t n, uint32_t step)
{
	for (uint32_t i = step; i < n && to->n < MANY; i++) {
		uint64_t x = ts[i] - ts[i - step];

		if (x > to->from && x <= to->to)
			to->d[to->n++] = (double)x;
	}
}

/* Returns how well differences match a frequency: 1 if all are whole periods, 0 for no relation. */
static double coherence(const struct differences *of, double frequency)
{
	double x = 0, y = 0;

	for (uint32_t i = 0; i < of->n; i++) {
		x += cos(2 * M_PI * frequency * of->d[i]);
		y += sin(2 * M_PI * frequency * of->d[i]);
	}
	return sqrt(x * x + y * y) / of->n;
}

/* Refines a tick length: returns the one for which long differences are closest to whole ticks. */
static double refine(const uint64_t *ts, uint32_t n, double length)
{
	struct differences d;

	for (uint64_t span = SHORT; span < LONG; span *= 3) {
		double up = 0, down = 0;

		d.from = span;
		d.to = span * 3;
		d.n = 0;
		for (uint32_t step = 1; step < n && d.n < MANY; step *= 2)
			gather(&d, ts, n, step);
		for (uint32_t i = 0; i < d.n; i++) {
			double k = round(d.d[i] / length);

			up += k * (d.d[i] - k * length);
			down += k * k;
		}
		if (d.n >= FEW / 2)
			length += up / down;
	}
	return length;
}

/* Returns the length of the tick in ns, or 0 if there is none. */
static double find(const uint64_t *ts, uint32_t n)
{
	double best = 0, at = 0, step = 1.0 / (STEPS * SHORT);
	struct differences d = { .to = SHORT };

	gather(&d, ts, n, 1);
	if (d.n < FEW)
		return 0;
	for (double f = 1.0 / TICKS_LONGEST; f < 1.0 / SHORTEST; f += step) {
		double fit = coherence(&d, f);

		if (fit > best) {
			best = fit;
			at = f;
		}
	}
	/* search again around the best frequency, in smaller steps */
	for (double f = at - step, end = at + step, s = step / 8; f < end; f += s) {
		double fit = coherence(&d, f);

		if (fit > best) {
			best = fit;
			at = f;
		}
	}
	return best > 0.6 ? refine(ts, n, 1 / at) : 0;
}

static unsigned int bits(uint64_t v)
{
	return 64 - (unsigned int)__builtin_clzll(v | 1);
}

/* Converts the times to ticks of t->length. Returns the approximate number of bits saved. */
static int64_t try(struct ticks *t, const struct grouping *o)
{
	const uint64_t *ts = o->events.ts;
	int64_t saved = 0;
	uint32_t last = 0, i = 0;

	t->ncorrections = 0;
	for (uint32_t s = 0; s < o->nstreams; s++) {
		uint64_t before = o->first, fraction = TICKS_HALF;
		uint32_t end = i + o->streams[s].count;

		for (; i < end; before = ts[i++]) {
			uint64_t delta = ts[i] - before, goal, number;
			int64_t wrong;

			if (delta >> TOO_LONG)
				return INT64_MIN;
			goal = (delta << TICKS_BITS) + TICKS_HALF + t->length / 2;
			number = goal > fraction ? (goal - fraction) / t->length : 0;
			wrong = (int64_t)(delta - ticks_ns(t->length, number, &fraction));
			t->number[i] = number;
			saved += (int64_t)bits(delta) - (int64_t)bits(number);
			if (!wrong)
				continue;
			fraction = ticks_corrected(wrong);
			t->gap[t->ncorrections] = i - last;
			t->correction[t->ncorrections++] = zigzag((uint64_t)wrong);
			last = i + 1;
			saved -= CORRECTION_BITS;
		}
	}
	return saved;
}

bool ticks_encode(struct ticks *t, const struct grouping *o)
{
	uint32_t n = o->events.count;
	uint64_t *p = room_for(&t->memory, ((size_t)n + 1) * 3 * sizeof(*p));

	if (!p)
		return false;
	t->number = p;
	t->gap = p + n;
	t->correction = p + 2 * (size_t)n;
	/* usually the length of the previous chunk still fits */
	if (t->length && try(t, o) > n / 2)
		return true;
	if (t->searches >= SEARCHES || n < FEW)
		return false;
	t->length = (uint64_t)llround(find(o->events.ts, n) * TICKS_ONE);
	if (t->length && try(t, o) > n / 2)
		return true;
	t->length = 0;
	t->searches++;
	return false;
}
