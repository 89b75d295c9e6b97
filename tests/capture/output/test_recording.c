/* SPDX-License-Identifier: MIT */
/*
 * A rotation (-G) in which one source is far behind: up to 64 MiB of events of the other sources
 * wait for it, and no more. Losses in a time range that two files share.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/output/recording.h"
#include "capture/session.h"
#include "capture/sys/user.h"

enum { MIB = 1 << 20, WAIT_MIB = 64 };

static struct options o;
static struct recording rec = RECORDING_NONE;
static struct trawl_error err;
static char folder[] = "/tmp/trawl-recording-XXXXXX", first[64], second[64], third[64];
static int busy, behind, rotated;
static uint64_t last = UINT64_MAX;

/* Functions of the session that a recording calls. */
struct tasks *session_tasks(struct session *s)
{
	return NULL;
}

void session_note(struct session *s, const char *fmt, ...)
{
}

void session_incomplete(struct session *s, const char *fmt, ...)
{
}

void session_rotate(struct session *s)
{
	rotated++;
}

uint64_t session_last(const struct session *s)
{
	return last;
}

static int source(const char *name)
{
	struct trawl_source s = { .name = name, .spec = name, .kind = "test", .linktype = 252,
				  .clock = TRAWL_CLOCK_MONO, .resolution = 1 };
	struct trawl_event_type t = { .id = 1, .name = name, .format = "" };
	int id = trawl_writer_source(rec.w, &s, &err);

	cr_assert_geq(id, 0, "%s", err.text);
	t.source = (uint16_t)id;
	cr_assert_geq(trawl_writer_event_type(rec.w, &t, &err), 0, "%s", err.text);
	return id;
}

static void begin(void)
{
	static struct user user = { .name = "test" };

	cr_assert(mkdtemp(folder));
	snprintf(first, sizeof(first), "%s/r.trawl", folder);
	snprintf(second, sizeof(second), "%s/r.1.trawl", folder);
	snprintf(third, sizeof(third), "%s/r.2.trawl", folder);
	o.write = first;
	o.rotate_time = 1000000000;
	cr_assert_eq(recording_open(&rec, &o, &user, NULL, &err), 0, "%s", err.text);
	cr_assert_eq(recording_start(&rec, &err), 0, "%s", err.text);
	busy = source("busy");
	behind = source("behind");
	cr_assert_eq(recording_commit(&rec, &err), 0, "%s", err.text);
}

static void end(void)
{
	unlink(first);
	unlink(second);
	unlink(third);
	rmdir(folder);
}

TestSuite(recording, .init = begin, .fini = end);

static void put(int from, uint64_t mono, size_t len)
{
	struct trawl_record r = { .source = (uint16_t)from, .type = 1, .ts = mono, .len = len };

	r.data = calloc(1, len);
	cr_assert_eq(recording_put(&rec, &r, mono, &err), 0, "%s", err.text);
	free((void *)r.data);
}

/* The end is in the current file, unless a test has set another one. */
static void finish(void)
{
	if (last == UINT64_MAX)
		last = rec.cut;
	cr_assert_eq(recording_settle_last(&rec, &err), 0, "%s", err.text);
	recording_finish(&rec);
	cr_assert_not(rec.failed, "%s", rec.error.text);
}

/* Returns how many events of a source the file has, from `from` to `to`. */
static unsigned int count(const char *path, int of, uint64_t from, uint64_t to)
{
	struct trawl_reader *r = trawl_open(path, &err);
	struct trawl_event ev;
	unsigned int n = 0;

	cr_assert(r, "%s", err.text);
	while (trawl_next(r, &ev, &err) == 1)
		n += ev.source->id == of && ev.ts >= from && ev.ts <= to;
	trawl_close(r);
	return n;
}

/*
 * Adds n MiB of events from after the end of the file, and then one of the other source from its
 * start.
 */
static uint64_t wait_for_the_other(int n)
{
	uint64_t cut = rec.cut;

	put(busy, cut - 1, 1);
	for (int i = 0; i <= n; i++)
		put(busy, cut + 1 + (uint64_t)i, MIB);
	cr_assert_eq(recording_settle(&rec, rec.begin, &err), 0, "%s", err.text);
	return cut;
}

Test(recording, events_wait_for_a_source_that_is_behind)
{
	uint64_t from = rec.begin, cut = wait_for_the_other(8);

	cr_expect_eq(rotated, 0);
	put(behind, from + 5, 1);
	cr_expect_eq(rec.early, 0);
	cr_assert_eq(recording_settle(&rec, cut + 100, &err), 0);
	cr_expect_eq(rotated, 1);
	finish();
	cr_expect_eq(count(first, busy, from, cut), 1);
	cr_expect_eq(count(first, behind, from, cut), 1);
	cr_expect_eq(count(second, busy, cut + 1, cut + 100), 9);
}

Test(recording, not_for_ever_and_what_comes_then_is_early)
{
	uint64_t from = rec.begin, cut = wait_for_the_other(WAIT_MIB);

	cr_expect_eq(rotated, 1, "they have waited enough");
	cr_expect_eq(rec.begin, cut + 1);
	cr_expect_eq(rec.waiting.bytes, 0, "%zu", rec.waiting.bytes);
	put(behind, from + 5, 1);
	cr_expect_eq(rec.early, 1, "its own file has ended");
	put(behind, cut + 7, 1);
	cr_expect_eq(rec.early, 1);
	finish();
	cr_expect_eq(count(first, busy, from, cut), 1);
	cr_expect_eq(count(first, behind, 0, UINT64_MAX), 0);
	cr_expect_eq(count(second, busy, cut + 1, cut + 100), WAIT_MIB + 1);
	cr_expect_eq(count(second, behind, from, cut), 1, "it is kept");
	cr_expect_eq(count(second, behind, cut + 1, cut + 100), 1);
}

/* Returns the only loss of a file. */
static struct trawl_loss loss_of(const char *path)
{
	struct trawl_reader *r = trawl_open(path, &err);
	struct trawl_loss loss = { 0 };
	struct trawl_event ev;

	cr_assert(r, "%s", err.text);
	while (trawl_next(r, &ev, &err) == 1)
		;
	cr_expect_eq(trawl_loss_count(r), 1, "%s: %zu", path, trawl_loss_count(r));
	if (trawl_loss_count(r) == 1)
		loss = *trawl_loss_at(r, 0);
	trawl_close(r);
	return loss;
}

Test(recording, a_loss_in_two_files_has_its_count_in_the_first)
{
	uint64_t from = rec.begin, cut = rec.cut;
	struct trawl_loss loss = { .source = (uint16_t)busy, .cpu = 0, .from = from + 10,
				   .to = cut + 50, .count = 7, .reason = TRAWL_LOSS_OVERRUN };

	put(busy, from + 1, 1);
	cr_assert_eq(recording_loss(&rec, &loss, &err), 0);
	put(busy, cut + 60, 1);
	cr_assert_eq(recording_settle(&rec, cut + 100, &err), 0);
	cr_expect_eq(rotated, 1);
	finish();
	loss = loss_of(first);
	cr_expect(loss.from == from + 10 && loss.count == 7);
	loss = loss_of(second);
	cr_expect(loss.from == cut + 1 && loss.to == cut + 50 && loss.count == UINT64_MAX);
}

Test(recording, a_recorder_that_is_late_still_ends_each_file_in_time)
{
	uint64_t from = rec.begin, cut = rec.cut;

	put(busy, from + 1, 1);
	put(busy, cut + 1, 1);
	put(busy, cut + 2, 1);
	put(busy, cut + o.rotate_time + 1, 1);
	last = cut + o.rotate_time + 1;
	recording_end(&rec, "command");
	finish();
	cr_expect_eq(rotated, 2);
	cr_expect_eq(count(first, busy, from, cut), 1);
	cr_expect_eq(count(second, busy, cut + 1, cut + o.rotate_time), 2);
	cr_expect_eq(count(third, busy, last, last), 1);
}

Test(recording, no_file_begins_after_the_end)
{
	uint64_t cut = rec.cut;

	last = cut;
	recording_end(&rec, "duration");
	cr_assert_eq(recording_settle(&rec, cut + 10 * o.rotate_time, &err), 0);
	finish();
	cr_expect_eq(rotated, 0);
}

Test(recording, nor_does_one_after_a_full_file)
{
	rec.cut = rec.next_file = UINT64_MAX; /* as without -G */
	o.rotate_bytes = 1;
	last = rec.begin + 100;
	put(busy, rec.begin + 1, MIB);
	cr_assert_eq(recording_settle(&rec, last + 1, &err), 0);
	recording_rotate_due(&rec);
	cr_expect_eq(rotated, 0, "the recorder was late; the recording has ended");
	last = UINT64_MAX;
	recording_rotate_due(&rec);
	cr_expect_eq(rotated, 1, "it goes on");
	finish();
}
