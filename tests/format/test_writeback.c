/* SPDX-License-Identifier: MIT */
/* What is done after the end of a file that is written in a hurry, and when. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

#include "format/writeback.h"

static const uint64_t MS = 1000000, STEP = WRITEBACK_STEP;

Test(writeback, a_capture_that_takes_its_time_is_left_alone)
{
	struct writeback t;
	uint64_t end = 4096, now;

	writeback_init(&t, -1, end);
	for (now = 1; now < 10000 * MS; now += WRITEBACK_HURRY_MS * MS) {
		cr_assert_not(writeback_hurry(&t, end, now));
		end += STEP;
	}
	now -= WRITEBACK_HURRY_MS * MS;
	cr_assert_not(writeback_hurry(&t, end - 1, now + 1), "a burst that is no step long, too");
	cr_assert(writeback_hurry(&t, end, now + 1));
}

Test(writeback, the_first_bytes_tell_nothing)
{
	struct writeback t;

	writeback_init(&t, -1, 0);
	cr_assert_not(writeback_hurry(&t, 100 * STEP, 5 * MS));
	cr_assert(writeback_hurry(&t, 101 * STEP, 6 * MS));
}

Test(writeback, a_hurry_is_a_step_in_less_than_its_time)
{
	struct writeback t;

	writeback_init(&t, -1, 0);
	cr_assert_not(writeback_hurry(&t, 1, 1));
	cr_assert_not(writeback_hurry(&t, STEP, 2), "not yet a step");
	cr_assert(writeback_hurry(&t, STEP + 1, WRITEBACK_HURRY_MS * MS));
	cr_assert(writeback_hurry(&t, 4 * STEP + 1, 4 * WRITEBACK_HURRY_MS * MS - 1),
		  "three at once");
	cr_assert_not(writeback_hurry(&t, 5 * STEP + 1, 5 * WRITEBACK_HURRY_MS * MS - 1));
}

Test(writeback, all_is_written_once_and_what_is_new_is_kept)
{
	const uint64_t base = 12345, size = 3 * (uint64_t)WRITEBACK_KEPT + 77;
	uint64_t written = base, forgotten = base;
	struct writeback_work w;
	struct writeback t;

	writeback_init(&t, -1, base);
	cr_assert_not(writeback_next(&t, &w));
	t.wanted = base + size;
	while (writeback_next(&t, &w)) {
		cr_assert_eq(w.write, written, "nothing is left out, nothing comes twice");
		cr_assert(w.write_end > w.write && w.write_end - w.write <= STEP);
		cr_assert_eq(w.forget, forgotten);
		cr_assert_geq(w.forget_end, w.forget);
		written = w.write_end;
		forgotten = w.forget_end;
		cr_assert_leq(forgotten,
			      written > base + WRITEBACK_KEPT ? written - WRITEBACK_KEPT : base);
	}
	cr_assert_eq(written, base + size);
	cr_assert_eq(forgotten, written - WRITEBACK_KEPT);
}

/* The thread comes with the first hurry, and goes. */
Test(writeback, a_hurry_has_a_thread)
{
	char path[] = "/tmp/trawl-writeback-XXXXXX";
	int fd = mkstemp(path);
	struct writeback t;

	unlink(path);
	cr_assert_eq(ftruncate(fd, 64 * (off_t)STEP), 0);
	writeback_init(&t, fd, 0);
	writeback_wrote(&t, STEP);
	cr_assert_not(t.started);
	for (uint64_t end = 2 * STEP; end <= 64 * STEP && !t.started; end += STEP)
		writeback_wrote(&t, end);
	cr_assert(t.started);
	writeback_done(&t);
	cr_assert_not(t.started);
	close(fd);
}
