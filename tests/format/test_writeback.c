/* SPDX-License-Identifier: MIT */
/* Which parts of a fast-growing file are written back, and when. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "format/writeback.h"

static const uint64_t MS = 1000000, STEP = WRITEBACK_STEP;

Test(writeback, a_capture_that_takes_its_time_is_left_alone)
{
	struct writeback t;
	uint64_t end = 4096, now;

	writeback_init(&t, -1, end);
	for (now = 1; now < 10000 * MS; now += WRITEBACK_FAST_MS * MS) {
		cr_assert_not(writeback_is_fast(&t, end, now));
		end += STEP;
	}
	now -= WRITEBACK_FAST_MS * MS;
	cr_assert_not(writeback_is_fast(&t, end - 1, now + 1), "a burst that is no step long, too");
	cr_assert(writeback_is_fast(&t, end, now + 1));
}

Test(writeback, the_first_bytes_tell_nothing)
{
	struct writeback t;

	writeback_init(&t, -1, 0);
	cr_assert_not(writeback_is_fast(&t, 100 * STEP, 5 * MS));
	cr_assert(writeback_is_fast(&t, 101 * STEP, 6 * MS));
}

Test(writeback, a_hurry_is_a_step_in_less_than_its_time)
{
	struct writeback t;

	writeback_init(&t, -1, 0);
	cr_assert_not(writeback_is_fast(&t, 1, 1));
	cr_assert_not(writeback_is_fast(&t, STEP, 2), "not yet a step");
	cr_assert(writeback_is_fast(&t, STEP + 1, WRITEBACK_FAST_MS * MS));
	cr_assert(writeback_is_fast(&t, 4 * STEP + 1, 4 * WRITEBACK_FAST_MS * MS - 1),
		  "three at once");
	cr_assert_not(writeback_is_fast(&t, 5 * STEP + 1, 5 * WRITEBACK_FAST_MS * MS - 1));
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

/* Replaces the functions of the C library that the thread calls. */
static struct {
	int fd;
	uint64_t written;
	bool gap;
} done;

int sync_file_range(int fd, off64_t from, off64_t n, unsigned int flags)
{
	done.gap |= fd != done.fd || (uint64_t)from != done.written || n <= 0 ||
		    flags != SYNC_FILE_RANGE_WRITE;
	__atomic_store_n(&done.written, (uint64_t)(from + n), __ATOMIC_RELEASE);
	return 0;
}

static uint64_t written(void)
{
	return __atomic_load_n(&done.written, __ATOMIC_ACQUIRE);
}

Test(writeback, the_thread_begins_the_writing_of_all_that_was_written, .timeout = 120)
{
	/* So many steps that the file counts as fast-growing even on a slow machine. */
	const uint64_t base = 4096, end = base + (STEP << 16) + 5;
	struct writeback t;

	done.fd = -1;
	done.written = base;
	writeback_init(&t, done.fd, base);
	writeback_wrote(&t, base);
	writeback_wrote(&t, end);
	cr_assert(t.started);
	while (written() < end)
		usleep(1000);
	writeback_done(&t);
	cr_assert_not(done.gap);
	cr_assert_eq(written(), end);
}

/* The thread starts when the file first grows fast, and ends. */
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
