/* SPDX-License-Identifier: MIT */
/* The rung of bulk payload for sources, compressors and disks of any speed. */
#include <criterion/criterion.h>
#include <zstd.h>

#include "format/level.h"

enum { BATCH = 1 << 20, LAST = LEVEL_RUNGS - 1 };

/* A machine: the cost of a byte of records on each rung, and of a byte of the file, in ns. */
struct machine {
	double encode[LEVEL_RUNGS], left[LEVEL_RUNGS], write;
};

/* Program files on one core; the page cache; and a disk of 100 MB/s. */
static const struct machine fast_disk = {
	{ 2.2, 1.7, 1.2, 0.5, 0.1 }, { 0.3, 0.4, 0.55, 0.75, 1 }, 0.4,
};
static const struct machine slow_disk = {
	{ 2.2, 1.7, 1.2, 0.5, 0.1 }, { 0.3, 0.4, 0.55, 0.75, 1 }, 10,
};

struct run {
	struct adaptive_level p;
	uint64_t now;           /* when the newest batch was handed over */
	uint64_t done;          /* when the worker has finished it */
	uint64_t on[LEVEL_RUNGS]; /* number of batches on each rung */
};

static double byte_cost(const struct machine *m, unsigned int rung)
{
	return m->encode[rung] + m->left[rung] * m->write;
}

/* The source has another batch at `ready`; it waits for the worker like hand_over(). */
static void batch(struct run *r, const struct machine *m, uint64_t ready)
{
	unsigned int rung;
	uint64_t write;

	if (ready < r->now)
		ready = r->now;
	if (ready < r->done)
		level_busy(&r->p, BATCH);
	else
		level_idle(&r->p, BATCH, r->done, ready);
	r->now = ready < r->done ? r->done : ready;
	rung = r->p.rung;
	r->on[rung]++;
	write = (uint64_t)(m->left[rung] * m->write * BATCH);
	r->done = r->now + (uint64_t)(byte_cost(m, rung) * BATCH);
	level_chunk(&r->p, rung, BATCH, (uint64_t)(m->left[rung] * BATCH),
		   (uint64_t)(m->encode[rung] * BATCH), write);
}

/* Feeds batches at `each` ns a byte; then counts the batches of the later half on each rung. */
static void stream(struct run *r, const struct machine *m, int batches, double each)
{
	uint64_t start = r->now;

	for (int i = 0; i < batches; i++) {
		if (i == batches / 2)
			memset(r->on, 0, sizeof(r->on));
		batch(r, m, start + (uint64_t)(each * BATCH * (i + 1)));
	}
}

Test(level, rungs_are_levels_of_zstd_from_the_wanted_one_to_none)
{
	cr_assert_eq(level_of_rung(0, 7), 7);
	cr_assert_eq(level_of_rung(0, 0), 0, "the default stays the default");
	for (unsigned int r = 1; r < LAST; r++) {
		cr_assert_lt(level_of_rung(r, 1), r == 1 ? 0 : level_of_rung(r - 1, 1));
		cr_assert_geq(level_of_rung(r, 1), ZSTD_minCLevel());
	}
	cr_assert_eq(level_of_rung(LAST, 1), LEVEL_STORED);
}

Test(level, who_is_in_time_compresses_as_wanted)
{
	struct run r = { 0 };

	/* Rung 0 costs 2.32 ns a byte. */
	stream(&r, &fast_disk, 4000, 2.6);
	cr_assert_eq(r.on[0], 2000);
}

/* After a pause the source delivers a burst, which could have been spread over the pause. */
Test(level, bursts_are_no_overload)
{
	struct run r = { 0 };

	for (int turn = 0; turn < 400; turn++) {
		uint64_t at = (uint64_t)turn * 7 * BATCH * 3;

		for (int i = 0; i < 7; i++)
			batch(&r, &fast_disk, at);
	}
	cr_assert_eq(r.on[0], 2800);
}

Test(level, a_short_jam_is_waited_for)
{
	struct run r = { 0 };

	for (int i = 0; i < LEVEL_PATIENCE / BATCH; i++) /* the worker is idle at the first batch */
		batch(&r, &fast_disk, 1);
	cr_assert_eq(r.p.rung, 0);
	batch(&r, &fast_disk, 1);
	cr_assert_eq(r.p.rung, 1);
}

Test(level, what_never_ends_is_stored_the_fastest_way)
{
	struct run r = { 0 };

	stream(&r, &fast_disk, 4000, 0);
	cr_assert_gt(r.on[LAST], 1900, "%lu of 2000", (unsigned long)r.on[LAST]);
}

/* Storing uncompressed would make the disk the bottleneck: 10.1 ns a byte instead of 5.2. */
Test(level, a_slow_disk_is_not_helped_by_larger_files)
{
	struct run r = { 0 };

	stream(&r, &slow_disk, 8000, 0);
	cr_assert_gt(r.on[0], 3900, "%lu of 4000", (unsigned long)r.on[0]);
	cr_assert_eq(r.on[3] + r.on[LAST], 0);
}

/*
 * Between two rungs, both are used alternately: nothing is lost, and compression stays as high as
 * possible.
 */
Test(level, a_rate_between_two_rungs_is_kept_up_with)
{
	struct run r = { 0 };
	uint64_t start;

	stream(&r, &fast_disk, 1000, 1.0);
	start = r.now;
	stream(&r, &fast_disk, 4000, 1.0);
	/* Rung 2 costs 1.42 ns a byte, rung 3 0.8. */
	cr_assert_gt(r.on[3], 500);
	/* The other rungs are only used occasionally, to measure their cost. */
	cr_assert_lt(r.on[0] + r.on[1], 100);
	cr_assert_lt(r.now - start, 4000ull * BATCH + 100ull * BATCH, "it fell behind");
}

Test(level, time_again_is_used_at_once)
{
	struct run r = { 0 };

	stream(&r, &fast_disk, 400, 0);
	cr_assert_eq(r.p.rung, LAST);
	/*
	 * The batch after the pause ends the congestion; from the next one on, the rate is known.
	 */
	batch(&r, &fast_disk, r.done + 5 * BATCH);
	batch(&r, &fast_disk, r.now + 5 * BATCH);
	cr_assert_eq(r.p.rung, 0);
}

/* Small events: no chunk was bulk, so the rung makes no difference. */
Test(level, without_bulk_nothing_changes)
{
	struct adaptive_level p = { 0 };

	for (int i = 0; i < 1000; i++)
		level_busy(&p, BATCH);
	cr_assert_eq(p.rung, 0);
}

/* The cost of a chunk with few events is that of its fixed parts, and therefore ignored. */
Test(level, tiny_chunks_are_not_measured)
{
	struct adaptive_level p = { 0 };

	level_chunk(&p, 0, LEVEL_LEAST - 1, 1000, 1000000, 1000000);
	cr_assert_eq(p.cost[0].at, 0);
	level_chunk(&p, 0, LEVEL_LEAST, 1000, 1000000, 1000000);
	cr_assert_eq(p.cost[0].at, LEVEL_LEAST);
}
