/* SPDX-License-Identifier: MIT */
/* Clocks that run, are slewed or set, and suspend. */
#include <criterion/criterion.h>
#include <inttypes.h>

#include "format/catalog.h"
#include "format/clock.h"
#include "format/memory.h"

#define SECOND 1000000000ull
#define EPOCH 1795000000000000000ull

enum { MOST = 8 };

struct made {
	struct clock_sync s[MOST];
	struct clock_map m;
};

/* Sync blocks at these times; `ahead`: how far the time of day is ahead of EPOCH + mono. */
static const struct clock_map *make(struct made *x, size_t n, const uint64_t *mono,
				    const int64_t *ahead)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t c = mono[i] + (uint64_t)ahead[i];

		x->s[i] = (struct clock_sync){ .at = 1000 * (i + 1), .s = {
			.mono = mono[i], .real = EPOCH + c, .boot = c, .mono_raw = c,
			.tai = EPOCH + c, .tsc = 3 * mono[i], .bound = 100 } };
	}
	x->m = clock_map(x->s, n);
	return &x->m;
}

/* Returns the bound of a time stamp with the time of day. */
static uint64_t bound_of(const struct clock_map *m, uint64_t real, size_t after)
{
	return clock_bound(m, TRAWL_CLOCK_REAL, real, after,
			   clock_to_mono(m, TRAWL_CLOCK_REAL, real, after));
}

static const uint64_t ticks[] = { SECOND, 2 * SECOND, 3 * SECOND, 4 * SECOND };

Test(clock, monotonic_is_itself)
{
	struct made x;
	const struct clock_map *m = make(&x, 2, ticks, (int64_t[]){ 5, 5 });

	cr_assert_eq(clock_to_mono(m, TRAWL_CLOCK_MONO, 77, 0), 77);
	cr_assert_eq(clock_bound(m, TRAWL_CLOCK_MONO, 77, 0, 77), 100);
	cr_assert_eq(m->origin, EPOCH + 5);
}

Test(clock, without_a_sync_block_nothing_is_known)
{
	struct clock_map m = { 0 };

	cr_assert_eq(clock_to_mono(&m, TRAWL_CLOCK_REAL, 77, 0), 77);
	cr_assert_eq(clock_bound(&m, TRAWL_CLOCK_REAL, 77, 0, 77), UINT64_MAX);
	cr_assert_eq(clock_map(NULL, 0).origin, 0);
}

/* Times before the boot are negative on CLOCK_MONOTONIC; their time of day and bound are right. */
Test(clock, before_the_boot)
{
	uint64_t early = EPOCH - 10 * SECOND;
	struct made x;
	const struct clock_map *m = make(&x, 1, ticks, (int64_t[]){ 0 });

	cr_expect_eq(clock_to_mono(m, TRAWL_CLOCK_REAL, early, 0) + m->origin, early);
	cr_expect_eq(bound_of(m, early, 0), 100 + 11 * SECOND / 2000, "%" PRIu64,
		     bound_of(m, early, 0));
	m = make(&x, 4, ticks, (int64_t[]){ 0, 0, 0, 0 });
	cr_expect_eq(clock_to_mono(m, TRAWL_CLOCK_REAL, early, 1) + m->origin, early);
	cr_expect_eq(bound_of(m, early, 1), 100 + 11 * SECOND / 2000, "%" PRIu64,
		     bound_of(m, early, 1));
}

/* The reader begins to search its chunks at that block. */
Test(clock, the_last_sync_block_that_is_not_later)
{
	struct made x = { 0 }; /* what is behind the four would be earlier than all */
	const struct clock_map *m = make(&x, 4, ticks, (int64_t[]){ 5, 5, 5, 5 });

	for (size_t i = 0; i < 4; i++) {
		cr_expect_eq(clock_find(m, TRAWL_CLOCK_TSC, 3 * ticks[i]), i, "at block %zu", i);
		cr_expect_eq(clock_find(m, TRAWL_CLOCK_TSC, 3 * ticks[i] + 1), i, "behind %zu", i);
		cr_expect_eq(clock_find(m, TRAWL_CLOCK_TSC, 3 * ticks[i] - 1), i ? i - 1 : 0,
			     "before %zu", i);
	}
}

Test(clock, one_sync_block_gives_the_offset)
{
	struct made x;
	const struct clock_map *m = make(&x, 1, ticks, (int64_t[]){ 0 });

	cr_assert_eq(clock_to_mono(m, TRAWL_CLOCK_REAL, EPOCH + 5 * SECOND, 1), 5 * SECOND);
	cr_assert_eq(bound_of(m, EPOCH + 5 * SECOND, 1), 100 + 4 * SECOND / 2000);
	cr_assert_eq(clock_to_mono(m, TRAWL_CLOCK_TSC, 1, 1), SECOND);
}

/* 400 ppm fast for a second: a straight line through both ends, not a step. */
Test(clock, a_slewed_clock_is_a_line_between_sync_blocks)
{
	struct made x;
	const struct clock_map *m = make(&x, 3, ticks, (int64_t[]){ 0, 400000, 400000 });
	uint64_t real = EPOCH + SECOND + (SECOND + 400000) / 2, mono;

	for (size_t after = 1; after <= 3; after++) {
		mono = clock_to_mono(m, TRAWL_CLOCK_REAL, real, after);
		cr_assert_eq(mono, SECOND + SECOND / 2, "after %zu: %lu", after, mono);
	}
	cr_assert_eq(bound_of(m, real, 1), 100 + 400000 / 2);
	real = EPOCH + 2 * SECOND + 400000 + 7;
	cr_assert_eq(clock_to_mono(m, TRAWL_CLOCK_REAL, real, 2), 2 * SECOND + 7);
	cr_assert_eq(bound_of(m, real, 2), 100);
}

/*
 * The readings jitter by nanoseconds; the time of day does not. Only the error of the reading
 * counts.
 */
Test(clock, a_time_of_day_is_its_own_as_long_as_it_is_not_set)
{
	struct made x;
	const struct clock_map *m = make(&x, 4, ticks, (int64_t[]){ 0, -2, 200, 201 });

	for (uint64_t mono = SECOND - 5; mono < 3 * SECOND; mono += 997 * 1001)
		for (size_t after = 0; after <= 3; after++) {
			uint64_t real = EPOCH + mono;

			cr_assert_eq(clock_to_mono(m, TRAWL_CLOCK_REAL, real, after), mono);
			cr_assert_eq(clock_to_mono(m, TRAWL_CLOCK_TAI, real, after), mono);
			cr_assert_eq(clock_to_mono(m, TRAWL_CLOCK_BOOT, mono, after), mono);
		}
	cr_assert_eq(clock_to_mono(m, TRAWL_CLOCK_REAL, EPOCH + 4 * SECOND + 201, 3), 4 * SECOND);
	cr_assert_neq(clock_to_mono(m, TRAWL_CLOCK_MONO_RAW, 2 * SECOND, 1), 2 * SECOND);
	x.m.first.bound = 300;
	cr_assert_eq(bound_of(m, EPOCH + 2 * SECOND, 1), 300, "the first block has the offset");
}

/* Each side of a step keeps its own offset, at every moment of the stretch. */
static void check_step(int64_t step)
{
	struct made x;
	const struct clock_map *m = make(&x, 4, ticks, (int64_t[]){ 0, 0, step, step });

	for (uint64_t at = 1; at < 1000; at++) {
		uint64_t mono = 2 * SECOND + at * (SECOND / 1000);
		uint64_t before = EPOCH + mono, after = EPOCH + mono + (uint64_t)step;

		cr_assert_eq(clock_to_mono(m, TRAWL_CLOCK_REAL, before, 2), mono);
		cr_assert_eq(clock_to_mono(m, TRAWL_CLOCK_REAL, after, 2), mono);
		cr_assert_eq(clock_to_mono(m, TRAWL_CLOCK_BOOT, mono + (uint64_t)step, 2),
			     mono);
	}
}

Test(clock, an_hour_forward)
{
	check_step(3600 * (int64_t)SECOND);
}

Test(clock, an_hour_back)
{
	check_step(-3600 * (int64_t)SECOND);
}

/* The clock is set back over times that it showed before: the place in the file decides. */
Test(clock, the_place_in_the_file_tells_two_equal_times_apart)
{
	struct made x;
	uint64_t real = EPOCH + SECOND + SECOND / 2;
	const struct clock_map *m = make(&x, 4, ticks, (int64_t[]){ 0, 0, -2 * (int64_t)SECOND,
								    -2 * (int64_t)SECOND });

	cr_assert_eq(clock_to_mono(m, TRAWL_CLOCK_REAL, real, 1), SECOND + SECOND / 2);
	cr_assert_eq(clock_to_mono(m, TRAWL_CLOCK_REAL, real, 3), 3 * SECOND + SECOND / 2);
	/* A step smaller than the stretch leaves an ambiguity, which the bound includes. */
	m = make(&x, 2, ticks, (int64_t[]){ 0, -100000000 });
	cr_assert_geq(bound_of(m, real, 1), 100000000);
}

/*
 * Events may be written after the sync block of a step, because they happened after the last drain;
 * the next horizon is the time of that drain. The clock is set back once more before the next sync
 * block, which would give them wrong times.
 */
Test(clock, what_came_too_late_for_a_sync_block_is_not_behind_the_next_step)
{
	struct made x;
	const int64_t back = -(int64_t)SECOND / 2;
	const struct clock_map *m = make(&x, 4, ticks, (int64_t[]){ 0, back, 2 * back, 2 * back });
	uint64_t look = 2 * SECOND - 600000, mono, real;

	x.s[2].s.horizon = look;
	for (mono = look - 500000; mono < 2 * SECOND + SECOND / 4; mono += 10007) {
		real = EPOCH + mono + (uint64_t)back;
		cr_assert_eq(clock_to_mono(m, TRAWL_CLOCK_REAL, real, 2), mono);
		cr_assert_eq(bound_of(m, real, 2), 100 + SECOND / 2,
			     "it could be that it was later");
	}
	/* Events before the drain would be earlier in the file. */
	real = EPOCH + look - 1000001 + (uint64_t)back;
	cr_assert_neq(clock_to_mono(m, TRAWL_CLOCK_REAL, real, 2), look - 1000001);
	/* Without another step nothing is ambiguous. */
	m = make(&x, 3, ticks, (int64_t[]){ 0, back, back });
	x.s[2].s.horizon = look;
	real = EPOCH + look + (uint64_t)back;
	cr_assert_eq(clock_to_mono(m, TRAWL_CLOCK_REAL, real, 2), look);
	cr_assert_eq(bound_of(m, real, 2), 100);
	/* It is if a long drain delays events from before the step just as much. */
	x.s[2].s.horizon = SECOND + SECOND / 10;
	real = EPOCH + SECOND + SECOND / 5;
	cr_assert_geq(bound_of(m, real, 2) + SECOND + SECOND / 5,
		      clock_to_mono(m, TRAWL_CLOCK_REAL, real, 2));
}

/* Times of a stream never decrease: an event that is moved has an error of that distance. */
Test(clock, what_was_moved_is_off_by_that)
{
	struct made x;
	const struct clock_map *m = make(&x, 3, ticks, (int64_t[]){ 0, 0, 0 });
	uint64_t real = EPOCH + SECOND + 5000;

	cr_assert_eq(clock_bound(m, TRAWL_CLOCK_REAL, real, 1, SECOND + 5000), 100);
	cr_assert_eq(clock_bound(m, TRAWL_CLOCK_REAL, real, 1, SECOND + 75000), 100 + 70000);
}

Test(clock, cycles_are_scaled)
{
	struct made x;
	const struct clock_map *m = make(&x, 3, ticks, (int64_t[]){ 0, 0, 0 });

	cr_assert_eq(clock_to_mono(m, TRAWL_CLOCK_TSC, 3 * (SECOND + 12345), 1),
		     SECOND + 12345);
	cr_assert_eq(clock_to_mono(m, TRAWL_CLOCK_TSC, 3 * (SECOND / 2), 0), SECOND / 2);
	cr_assert_eq(clock_to_mono(m, TRAWL_CLOCK_TSC, 3 * 9 * SECOND, 3), 9 * SECOND);
	cr_expect_eq(clock_earliest(m, TRAWL_CLOCK_TSC, 3 * (SECOND + 12345), 1), SECOND + 12345);
	cr_expect_eq(clock_latest(m, TRAWL_CLOCK_TSC, 3 * (SECOND + 12345), 1), SECOND + 12345);
	/* Between two readings the error is theirs; outside it grows by 500 ppm. */
	x.s[1].s.bound = 250;
	cr_expect_eq(clock_bound(m, TRAWL_CLOCK_TSC, 3 * (SECOND + 12345), 1, SECOND + 12345), 250);
	cr_expect_eq(clock_bound(m, TRAWL_CLOCK_TSC, 3 * (SECOND + 12345), 1, SECOND + 12445),
		     250 + 100, "what a stream's order moved");
	cr_expect_eq(clock_bound(m, TRAWL_CLOCK_TSC, 3 * (SECOND / 2), 0, SECOND / 2),
		     250 + SECOND / 2 / 2000);
	cr_expect_eq(clock_bound(m, TRAWL_CLOCK_TSC, 3 * 9 * SECOND, 3, 9 * SECOND),
		     250 + 6 * SECOND / 2000);
	/* A processor with a higher frequency in one stretch: each stretch has its own rate. */
	x.s[2].s.tsc = x.s[1].s.tsc + 4 * SECOND;
	cr_expect_eq(clock_to_mono(m, TRAWL_CLOCK_TSC, x.s[1].s.tsc + 2 * SECOND, 2),
		     2 * SECOND + SECOND / 2);
	x.s[1].s.tsc = 5; /* after a reset, events in between may be anywhere in that stretch */
	cr_expect_geq(
		clock_bound(m, TRAWL_CLOCK_TSC, 7, 1, clock_to_mono(m, TRAWL_CLOCK_TSC, 7, 1)),
		250 + SECOND);
	clock_to_mono(m, TRAWL_CLOCK_TSC, 7, 2);
}

/* For any behaviour of the clock, no event lies outside the range of its chunk. */
Test(clock, a_chunk_is_never_later_than_its_events)
{
	static const int64_t steps[] = { 0, 300000, -300000, 5000000, -5000000,
					 7 * (int64_t)SECOND, -7 * (int64_t)SECOND };

	for (size_t s = 0; s < ARRAY_SIZE(steps); s++)
		for (size_t after = 0; after <= 4; after++)
			for (uint64_t ms = 0; ms < 6000; ms += 7) {
				struct made x;
				const struct clock_map *m = make(&x, 4, ticks,
					(int64_t[]){ 0, 0, steps[s], steps[s] });
				uint64_t ts = EPOCH + ms * 1000000;
				uint64_t mono = clock_to_mono(m, TRAWL_CLOCK_REAL, ts, after);

				if ((int64_t)mono < 0)
					continue;
				cr_assert_leq(clock_earliest(m, TRAWL_CLOCK_REAL, ts, after), mono);
				cr_assert_geq(clock_latest(m, TRAWL_CLOCK_REAL, ts, after), mono);
			}
}

Test(clock, sync_blocks_are_counted_by_place)
{
	struct made x;
	const struct clock_map *m = make(&x, 3, ticks, (int64_t[]){ 0, 0, 0 });

	cr_assert_eq(clock_syncs_before(m, 0), 0);
	cr_assert_eq(clock_syncs_before(m, 1000), 0);
	cr_assert_eq(clock_syncs_before(m, 1001), 1);
	cr_assert_eq(clock_syncs_before(m, 99999), 3);
}

Test(clock, now_is_all_clocks_at_once)
{
	struct trawl_sync a, b;

	trawl_sync_now(&a);
	trawl_sync_now(&b);
	cr_assert_gt(a.mono, 0);
	cr_assert_gt(a.real, a.mono);
	cr_assert_geq(a.boot + a.bound, a.mono);
	cr_assert_geq(b.mono, a.mono);
	cr_assert_lt(a.bound, SECOND);
	cr_assert_eq(a.horizon, 0);
	cr_assert_eq(a.why, 0);
}

Test(order, copies_that_come_late_are_put_in_place_each_once)
{
	struct clock_sync syncs[] = {
		{ .at = 300 }, { .at = 100 }, { .at = 300 }, { .at = 200 }, { .at = 100 },
	};

	cr_assert_eq(clock_syncs_order(syncs, 5), 3);
	for (size_t i = 0; i < 3; i++)
		cr_expect_eq(syncs[i].at, 100 * (i + 1));
	cr_assert_eq(clock_syncs_order(syncs, 0), 0);
}
