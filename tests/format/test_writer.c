/* SPDX-License-Identifier: MIT */
/* A writer at its limits: full disks, closed pipes, huge records, rotation, memory. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "format/block.h"
#include "tests/format/blobs.h"
#include "tests/format/sample.h"

static void noise(uint8_t *p, size_t n, uint64_t seed)
{
	for (size_t i = 0; i + 8 <= n; i += 8)
		put64(p + i, sample_random(&seed));
}

/* ---- fields that no reader here uses --------------------------------------------------------- */

/* Returns the number in n bytes at `at` of the body of the file's last block of that kind. */
static uint64_t body_number(const char *path, enum block_kind kind, size_t at, size_t n)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	uint8_t *file, *p;
	uint64_t number = 0;
	bool found = false;

	cr_assert_eq(fstat(fd, &st), 0);
	file = p = malloc((size_t)st.st_size);
	cr_assert_eq(read(fd, file, (size_t)st.st_size), st.st_size);
	close(fd);
	for (struct block b; p < file + st.st_size; p += b.len) {
		cr_assert_eq(block_head(p, (size_t)(file + st.st_size - p), &b), BLOCK_OK);
		if (b.kind != kind)
			continue;
		cr_assert_eq(b.flags, 0);
		memcpy(&number, p + BLOCK_HEAD + at, n);
		found = true;
	}
	free(file);
	cr_assert(found);
	return number;
}

enum { START_PART = 16, END_LOST = 32 };

/* ---- data that does not fit ------------------------------------------------------------------ */

enum { EVENTS = 5000, RECORD = 4096, FIRST_TS = 1000 };

/* writev() of libc, until a test makes it fail after some calls. */
static int failing;         /* errno; 0: does not fail */
static int failing_fd = -1; /* only on this descriptor; -1: on all */
static int calls_left;      /* calls that still succeed */
static atomic_bool stalled; /* calls wait while this is set */

ssize_t writev(int fd, const struct iovec *iov, int n)
{
	while (stalled)
		usleep(1000);
	if (!failing || (failing_fd >= 0 && failing_fd != fd) || calls_left-- > 0)
		return syscall(SYS_writev, fd, iov, n);
	/* Like a disk: a part is written before the error. */
	if (!calls_left && iov[0].iov_len > 8)
		return syscall(SYS_write, fd, iov[0].iov_base, 8);
	errno = failing;
	return -1;
}

/*
 * Appends EVENTS large records; stores the error of the first append that failed, or of the sync.
 */
static void append_all(struct trawl_writer *w, struct trawl_error *first)
{
	struct trawl_sync sync = { .mono = 5, .real = 1005, .why = TRAWL_SYNC_STOP };
	struct trawl_error err;
	uint8_t record[RECORD];

	first->text[0] = 0;
	for (uint64_t i = 0; i < EVENTS; i++) {
		noise(record, sizeof(record), i);
		if (trawl_append(
			    w,
			    &(struct trawl_record){0, 1, 0, FIRST_TS + i, record, sizeof(record)},
			    &err) &&
		    !first->text[0])
			*first = err;
	}
	trawl_writer_sync(w, &sync, &err); /* it may be queued before the disk fails */
	cr_assert_eq(trawl_writer_flush(w, &err), -1);
	if (!first->text[0])
		*first = err;
}

/* Adds data after the disk was full: a kernel loss in two parts, metadata of two sizes. */
static void say_late(struct trawl_writer *w)
{
	struct trawl_loss l = {
		.cpu = 1, .from = 7, .to = 9, .count = 5, .reason = TRAWL_LOSS_OVERRUN};
	struct trawl_meta end = { "end", "text/plain", 9, "it ended", 8, 0 };
	struct trawl_meta large = { "large", "text/plain", 9, NULL, 1 << 20, 0 };
	struct trawl_error err;

	large.data = calloc(1, large.len);
	cr_assert_eq(trawl_writer_loss(w, &l, &err), -1);
	l.from = 20, l.to = 30, l.count = 1;
	cr_assert_eq(trawl_writer_loss(w, &l, &err), -1);
	cr_assert_eq(trawl_writer_meta(w, &large, &err), -1);
	cr_assert_eq(trawl_writer_meta(w, &end, &err), -1);
	free((void *)large.data);
}

static void check_losses(const struct trawl_reader *r, uint64_t read)
{
	const struct trawl_loss *overrun = trawl_loss_at(r, 0), *write = trawl_loss_at(r, 1);

	cr_assert_eq(trawl_loss_count(r), 2);
	cr_assert_eq(write->reason, TRAWL_LOSS_WRITE);
	cr_assert_eq(write->count, EVENTS - read);
	cr_assert_eq(write->from, FIRST_TS + read);
	cr_assert_eq(write->to, FIRST_TS + EVENTS - 1);
	cr_assert_eq(overrun->reason, TRAWL_LOSS_OVERRUN);
	cr_assert_eq(overrun->count, 6);
	cr_assert_eq(overrun->from, 7);
	cr_assert_eq(overrun->to, 30);
}

/*
 * Checks a file that did not take all of append_all() and say_late(): it is complete, has the first
 * events, and states exactly what is missing. Returns the number of its events.
 */
static uint64_t check_end(const char *path)
{
	struct trawl_error err;
	struct trawl_reader *r = trawl_open(path, &err);
	struct trawl_verdict v;
	struct trawl_event ev;
	uint64_t read = 0;

	cr_assert(r, "%s", err.text);
	for (; trawl_next(r, &ev, &err) == 1; read++)
		cr_assert_eq(ev.ts, FIRST_TS + read);
	trawl_verdict(r, &v);
	cr_assert(v.complete, "%s", v.text);
	cr_assert(v.index_used);
	cr_assert_eq(v.damaged, 0);
	cr_assert_lt(read, EVENTS);
	check_losses(r, read);
	cr_expect_eq(body_number(path, BLOCK_END, END_LOST, 8), EVENTS - read + 6);
	cr_assert_str_eq(trawl_meta_find(r, "end")->data, "it ended");
	cr_assert_null(trawl_meta_find(r, "large"));
	cr_assert_eq(trawl_sync_at(r, trawl_sync_count(r) - 1)->why, TRAWL_SYNC_STOP);
	trawl_close(r);
	return read;
}

static uint64_t whole(const char *path, bool complete)
{
	struct trawl_error err;
	struct trawl_reader *r = trawl_open(path, &err);
	struct trawl_verdict v;

	cr_assert(r, "%s", err.text);
	trawl_verdict(r, &v);
	cr_assert_eq(v.complete, complete, "%s", v.text);
	cr_assert_eq(v.damaged, 0);
	trawl_close(r);
	return v.events;
}

static struct trawl_writer *begin_at(const char *path)
{
	return begin(open(path, O_RDWR | O_CREAT | O_TRUNC, 0600));
}

/* Writes until the error `sys` and checks the message; returns the number of events in the file. */
static uint64_t write_too_much(const char *path, int sys, const char *says)
{
	struct trawl_writer *w = begin_at(path);
	struct trawl_error err;
	uint64_t unwritten, read;

	append_all(w, &err);
	cr_assert_eq(err.sys, sys, "%s", err.text);
	cr_assert_eq(err.status, TRAWL_CANNOT);
	cr_assert(strstr(err.text, says), "%s", err.text);
	say_late(w);
	unwritten = trawl_writer_unwritten(w, 0);
	cr_assert_eq(trawl_writer_close(w, &err), -1);
	cr_assert_eq(err.sys, sys);
	read = check_end(path);
	cr_assert_eq(read + unwritten, EVENTS);
	return read;
}

/* Mounts a file system of that size in its own namespace; false if that is not permitted. */
static bool small_disk(const char *dir, const char *size)
{
	char options[32];

	snprintf(options, sizeof(options), "size=%s", size);
	return !unshare(CLONE_NEWNS) && !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("trawl", dir, "tmpfs", 0, options);
}

static void full_disk(const char *size, uint64_t least)
{
	char dir[] = "/tmp/trawl-full-XXXXXX", path[64];

	cr_assert(mkdtemp(dir));
	if (!small_disk(dir, size)) {
		rmdir(dir);
		cr_skip_test("mounting a small file system needs root");
	}
	snprintf(path, sizeof(path), "%s/x.trawl", dir);
	cr_assert_geq(write_too_much(path, ENOSPC, "disk is full"), least);
	umount(dir);
	rmdir(dir);
}

Test(writer, a_full_disk_keeps_what_was_written_and_counts_the_rest)
{
	full_disk("8m", 1500);
}

/* No chunk fits, but the losses are recorded. */
Test(writer, a_disk_with_hardly_any_room_holds_a_whole_file)
{
	full_disk("80k", 0);
}

Test(writer, room_that_comes_back_leaves_no_gap)
{
	char dir[] = "/tmp/trawl-again-XXXXXX", path[64], filler[64];
	struct trawl_error err;
	struct trawl_writer *w;
	int fd;

	cr_assert(mkdtemp(dir));
	if (!small_disk(dir, "40m")) {
		rmdir(dir);
		cr_skip_test("mounting a small file system needs root");
	}
	snprintf(path, sizeof(path), "%s/x.trawl", dir);
	snprintf(filler, sizeof(filler), "%s/filler", dir);
	fd = open(filler, O_WRONLY | O_CREAT, 0600);
	cr_assert_eq(posix_fallocate(fd, 0, 36 << 20), 0);
	close(fd);
	w = begin_at(path);
	append_all(w, &err);
	cr_assert_eq(err.sys, ENOSPC);
	unlink(filler);
	say_late(w);
	cr_assert_eq(trawl_writer_close(w, &err), -1);
	cr_assert_gt(check_end(path), 500);
	umount(dir);
	rmdir(dir);
}

Test(writer, a_file_that_may_not_grow_is_ended_too)
{
	char path[] = "/tmp/trawl-limit-XXXXXX";
	struct rlimit limit = { 9 << 20, 9 << 20 };
	struct stat st;

	close(mkstemp(path));
	setrlimit(RLIMIT_FSIZE, &limit); /* SIGXFSZ must not be raised */
	cr_assert_gt(write_too_much(path, EFBIG, "ulimit -f"), 500);
	cr_assert(!stat(path, &st) && st.st_size <= 9 << 20);
	unlink(path);
}

/* Makes a writer at `path` whose disk fails after four more calls, and returns its error. */
static struct trawl_writer *broken_disk(char *path, struct trawl_error *err)
{
	struct trawl_writer *w;

	close(mkstemp(path));
	w = begin_at(path);
	failing = EIO;
	calls_left = 4;
	append_all(w, err);
	return w;
}

Test(writer, an_error_of_the_disk_is_told_of_and_what_was_begun_taken_back)
{
	char path[] = "/tmp/trawl-eio-XXXXXX";
	struct trawl_error err;
	struct trawl_writer *w;

	w = broken_disk(path, &err);
	cr_assert_eq(err.sys, EIO);
	cr_assert(strstr(err.text, "Input/output error"));
	failing = 0;
	say_late(w);
	cr_assert_eq(trawl_writer_close(w, &err), -1);
	cr_assert_gt(check_end(path), 100);
	unlink(path);
}

/* The file ends with a whole block and is read as truncated. */
Test(writer, a_disk_that_is_gone_leaves_whole_blocks)
{
	char path[] = "/tmp/trawl-gone-XXXXXX";
	struct trawl_reader *r;
	struct trawl_verdict v;
	struct trawl_error err;
	struct trawl_writer *w;

	w = broken_disk(path, &err);
	cr_assert_eq(trawl_writer_close(w, &err), -1);
	failing = 0;
	r = trawl_open(path, &err);
	trawl_verdict(r, &v);
	cr_assert_not(v.complete);
	cr_assert_eq(v.damaged, 0, "%s", v.text);
	cr_assert_eq(v.cut_at, 0, "%s", v.text);
	cr_assert(strstr(v.text, "no end block"));
	cr_assert_gt(v.events, 100);
	trawl_close(r);
	unlink(path);
}

/* ---- expected size --------------------------------------------------------------------------- */

/* Records of which a part can be compressed: the estimate matches the size. */
static void expect_size(size_t random, uint64_t most)
{
	struct trawl_writer_options o = { .chunk_bytes = (uint32_t)(most / 8) };
	char path[] = "/tmp/trawl-size-XXXXXX";
	uint8_t record[1000] = { 0 };
	struct trawl_error err;
	struct trawl_writer *w = trawl_writer_new(mkstemp(path), &o, &err);
	struct stat st;

	cr_assert_eq(add(w, &err), 0);
	for (uint64_t i = 0; trawl_writer_expected(w) < most; i++) {
		put64(record, i);
		noise(record + 8, random, i);
		cr_assert_eq(
			trawl_append(w, &(struct trawl_record){0, 1, 0, i, record, sizeof(record)},
				     &err),
			0);
	}
	cr_assert_eq(trawl_writer_close(w, &err), 0);
	cr_assert_eq(stat(path, &st), 0);
	cr_expect_gt((uint64_t)st.st_size, most - most / 8, "%ld", st.st_size);
	cr_expect_lt((uint64_t)st.st_size, most + most / 8, "%ld", st.st_size);
	unlink(path);
}

Test(writer, the_size_that_a_file_will_have_is_known)
{
	expect_size(992, 1 << 20);
	expect_size(400, 1 << 20);
	expect_size(96, 512 << 10);
}

Test(writer, a_small_chunk_does_not_tell_how_large_the_next_will_be)
{
	uint8_t record[96] = { 0 };
	struct trawl_error err;
	struct trawl_sync sync;
	struct trawl_writer_options o = { .level = 3, .chunk_bytes = 64 << 10 };
	char path[] = "/tmp/trawl-small-XXXXXX";
	struct trawl_writer *w = trawl_writer_new(mkstemp(path), &o, &err);
	uint64_t before;

	cr_assert_eq(add(w, &err), 0);
	cr_assert_eq(
		trawl_append(w, &(struct trawl_record){0, 1, 0, 1, record, sizeof(record)}, &err),
		0);
	trawl_sync_now(&sync);
	sync.why = TRAWL_SYNC_TICK;
	sync.horizon = 0;
	cr_assert_eq(trawl_writer_sync(w, &sync, &err), 0);
	before = trawl_writer_expected(w);
	for (uint64_t i = 2; i < 400; i++)
		cr_assert_eq(
			trawl_append(w, &(struct trawl_record){0, 1, 0, i, record, sizeof(record)},
				     &err),
			0);
	cr_expect_lt(trawl_writer_expected(w), before + 400 * sizeof(record),
		     "less than the records");
	cr_assert_eq(trawl_writer_close(w, &err), 0);
	unlink(path);
}

Test(writer, what_it_does_not_have_is_nothing)
{
	struct trawl_writer *w = begin(open("/dev/null", O_WRONLY));
	struct trawl_error err;

	cr_expect(trawl_writer_source_at(w, 0));
	cr_expect(trawl_writer_event_type_at(w, 0, 0));
	cr_expect_null(trawl_writer_source_at(w, 1));
	cr_expect_null(trawl_writer_event_type_at(w, 0, 1));
	cr_expect_null(trawl_writer_event_type_at(w, 1, 0));
	cr_expect_eq(trawl_writer_unwritten(w, 1), 0);
	cr_assert_eq(trawl_writer_close(w, &err), 0);
}

/* ---- rotation that fails ------------------------------------------------------------------- */

Test(writer, a_next_file_that_cannot_be_begun_leaves_the_present_one)
{
	char path[] = "/tmp/trawl-next-XXXXXX";
	struct trawl_writer *w = begin(mkstemp(path));
	uint8_t record[8] = { 0 };
	struct trawl_error err;

	cr_assert_eq(
		trawl_append(w, &(struct trawl_record){0, 1, 0, 1, record, sizeof(record)}, &err),
		0);
	cr_assert_eq(trawl_writer_rotate(w, open("/dev/full", O_WRONLY), &err), -1);
	cr_assert_eq(err.sys, ENOSPC);
	cr_assert_eq(
		trawl_append(w, &(struct trawl_record){0, 1, 0, 2, record, sizeof(record)}, &err),
		0);
	cr_assert_eq(trawl_writer_unwritten(w, 0), 0);
	cr_assert_eq(trawl_writer_close(w, &err), 0);
	cr_assert_eq(whole(path, true), 2);
	unlink(path);
}

Test(writer, an_end_that_cannot_be_written_does_not_stop_the_next_file)
{
	char path[2][32] = { "/tmp/trawl-end0-XXXXXX", "/tmp/trawl-end1-XXXXXX" };
	struct trawl_writer *w;
	uint8_t record[8] = { 0 };
	struct trawl_error err;
	struct trawl_sync sync = { .mono = 5, .real = 1005, .why = TRAWL_SYNC_TICK };

	failing_fd = mkstemp(path[0]);
	w = begin(failing_fd);
	cr_assert_eq(
		trawl_append(w, &(struct trawl_record){0, 1, 0, 1, record, sizeof(record)}, &err),
		0);
	cr_assert_eq(trawl_writer_sync(w, &sync, &err), 0);
	cr_assert_eq(trawl_writer_flush(w, &err), 0);
	failing = EIO;
	calls_left = 0;
	cr_assert_eq(trawl_writer_rotate(w, mkstemp(path[1]), &err), 1);
	cr_assert_eq(err.sys, EIO);
	cr_assert_eq(
		trawl_append(w, &(struct trawl_record){0, 1, 0, 2, record, sizeof(record)}, &err),
		0);
	cr_assert_eq(trawl_writer_close(w, &err), 0);
	cr_assert_eq(whole(path[0], false), 1);
	cr_assert_eq(whole(path[1], true), 1);
	unlink(path[0]);
	unlink(path[1]);
}

/* Three chunks and everything else that a recorder writes meanwhile do not block the caller. */
Test(writer, a_disk_that_makes_wait_holds_up_nobody, .timeout = 60)
{
	enum { MANY = 200000 };
	struct trawl_sync sync = { .mono = 5, .real = 1005, .why = TRAWL_SYNC_TICK };
	struct trawl_meta m = { "m", "text/plain", 1, "it", 2, 0 };
	struct trawl_loss l = { .from = 1, .to = 2, .count = 3, .reason = TRAWL_LOSS_OVERRUN };
	char path[] = "/tmp/trawl-stall-XXXXXX";
	struct trawl_writer *w = begin(mkstemp(path));
	uint8_t record[48] = { 0 };
	struct trawl_error err;
	struct trawl_reader *r;
	uint64_t written;

	cr_assert_eq(trawl_writer_flush(w, &err), 0);
	written = trawl_writer_bytes(w);
	stalled = true;
	for (uint64_t i = 0; i < MANY; i++) {
		noise(record + 8, 16, i);
		cr_assert_eq(
			trawl_append(w, &(struct trawl_record){0, 1, 0, i, record, sizeof(record)},
				     &err),
			0);
	}
	cr_assert_eq(trawl_writer_meta(w, &m, &err), 0);
	cr_assert_eq(trawl_writer_loss(w, &l, &err), 0);
	cr_assert_eq(trawl_writer_sync(w, &sync, &err), 0);
	cr_assert_eq(trawl_writer_bytes(w), written, "nothing got through");
	cr_assert_gt(trawl_writer_expected(w), written + MANY * 16, "and it is reckoned with");
	stalled = false;
	cr_assert_eq(trawl_writer_close(w, &err), 0, "%s", err.text);
	cr_assert_eq(whole(path, true), MANY);
	r = trawl_open(path, &err);
	cr_assert_eq(trawl_loss_count(r), 1);
	cr_assert_eq(trawl_sync_count(r), 1);
	cr_assert_str_eq(trawl_meta_find(r, "m")->data, "it");
	trawl_close(r);
	unlink(path);
}

Test(writer, a_closed_pipe_is_an_error_of_its_own_and_no_signal)
{
	uint8_t record[4096] = { 0 };
	struct trawl_error err;
	struct trawl_writer *w;
	int p[2], ret = 0;

	cr_assert_eq(pipe(p), 0);
	w = begin(p[1]);
	close(p[0]);
	for (int i = 0; i < 100000 && !ret; i++) {
		noise(record, sizeof(record), (uint64_t)i);
		ret = trawl_append(
			w, &(struct trawl_record){0, 1, 0, (uint64_t)i, record, sizeof(record)},
			&err);
	}
	cr_assert_eq(ret, -1);
	cr_assert_eq(err.sys, EPIPE, "%s", err.text);
	cr_expect_eq(err.status, TRAWL_OK);
	cr_expect(strstr(err.text, ": the reader of the pipe has exited"), "%s", err.text);
	memset(&err, 0x55, sizeof(err));
	cr_assert_eq(trawl_writer_close(w, &err), -1);
	cr_assert_eq(err.sys, EPIPE);
	cr_expect_eq(err.status, TRAWL_OK);
	cr_expect(strstr(err.text, ": the reader of the pipe has exited"), "%s", err.text);
}

Test(writer, a_device_without_room_is_told)
{
	struct trawl_error err;

	cr_assert_null(trawl_writer_new(open("/dev/full", O_WRONLY), NULL, &err));
	cr_assert_eq(err.sys, ENOSPC);
	cr_assert(strstr(err.text, "output: the disk is full") == err.text, "%s", err.text);
	cr_assert_null(trawl_writer_new(open("/dev/full", O_WRONLY),
					&(struct trawl_writer_options){ .name = "-w x" }, &err));
	cr_assert(strstr(err.text, "-w x: the disk is full") == err.text, "%s", err.text);
}

/* ---- records ------------------------------------------------------------------------------ */

Test(writer, a_record_may_be_larger_than_a_chunk)
{
	char path[] = "/tmp/trawl-large-XXXXXX";
	struct trawl_writer *w = begin(mkstemp(path));
	uint8_t *record = malloc(TRAWL_RECORD_MAX + 1);
	struct trawl_reader *r;
	struct trawl_error err;
	struct trawl_event ev;

	noise(record, TRAWL_RECORD_MAX + 1, 5);
	for (uint64_t i = 0; i < 9; i++)
		cr_assert_eq(trawl_append(w,
					  &(struct trawl_record){0, 1, 0, i, record,
								 i % 3 ? 100 : TRAWL_RECORD_MAX},
					  &err),
			     0);
	cr_assert_eq(trawl_append(w,
				  &(struct trawl_record){0, 1, 0, 9, record, TRAWL_RECORD_MAX + 1},
				  &err),
		     -1);
	cr_assert_eq(err.status, TRAWL_USAGE);
	cr_assert_eq(trawl_append(w, &(struct trawl_record){0, 1, 0, 9, record, 7}, &err), -1);
	cr_assert(strstr(err.text, "7 bytes"));
	cr_assert_eq(trawl_append(w, &(struct trawl_record){0, 2, 0, 9, record, 8}, &err), -1);
	cr_assert(strstr(err.text, "type 2"));
	cr_assert_eq(trawl_append(w, &(struct trawl_record){1, 1, 0, 9, record, 8}, &err), -1);
	cr_assert_eq(trawl_writer_close(w, &err), 0);
	r = trawl_open(path, &err);
	for (uint64_t i = 0; i < 9; i++) {
		cr_assert_eq(trawl_next(r, &ev, &err), 1);
		cr_assert_eq(ev.len, i % 3 ? 100 : TRAWL_RECORD_MAX);
		cr_assert(!memcmp(ev.record, record, ev.len));
	}
	cr_assert_eq(trawl_next(r, &ev, &err), 0);
	trawl_close(r);
	unlink(path);
	free(record);
}

enum { AGAIN = 30000, AGAIN_MOST = 4096 };

/* Makes the i-th record of a capture with repeated long tails; returns its length. */
static size_t again(uint64_t i, uint8_t *record)
{
	size_t len = 500 + i * 37 % (AGAIN_MOST - 500) / 512 * 512;
	uint8_t *tail = record + 8;

	put64(record, i);
	memset(tail, 0, len);
	switch (i % 7) {
	case 0: /* unique */
		noise(tail, len, i + 1);
		break;
	case 1: /* equal to a few others */
		noise(tail, len, i / 7 % 5 + 1);
		break;
	case 2: /* equal to others in the middle only */
		tail[len / 2] = (uint8_t)i;
		break;
	case 3:
		return 8 + i % 64;
	}
	return 8 + len;
}

/* A record whose bytes after the fixed part are not a TAIL: a word in it has their location. */
static size_t pointed(uint64_t i, uint8_t *record)
{
	put64(record, i);
	put32(record + 8, 12 | 600 << 16);
	memset(record + 12, 7, 600);
	return 612;
}

static const struct trawl_field pointing[] = {
	{ "n", "", "", TRAWL_SEQ, TRAWL_FIXED, 0, 0, 8, 1 },
	{ "data", "", "", TRAWL_BYTES, TRAWL_DATA_LOC, 0, 8, 1, 1 },
};

static size_t chunks_of(struct trawl_reader *r)
{
	const struct trawl_chunk *c;
	struct trawl_error err;
	size_t n = 0;

	while (trawl_next_chunk(r, &c, &err) > 0)
		n++;
	return n;
}

Test(writer, tails_that_come_again_are_all_there)
{
	char path[] = "/tmp/trawl-again-XXXXXX";
	struct trawl_writer *w = begin(mkstemp(path));
	static uint8_t record[AGAIN_MOST + 8];
	struct trawl_event_type t = { .id = 2, .name = "test:loc", .format = "", .size = 12,
				      .nfields = 2, .fields = pointing };
	struct trawl_reader *r;
	struct trawl_error err;
	struct trawl_event ev;
	size_t len;

	cr_assert_eq(trawl_writer_event_type(w, &t, &err), 0);
	for (uint64_t i = 0; i < AGAIN; i++) {
		len = i % 11 ? again(i, record) : pointed(i, record);
		cr_assert_eq(
			trawl_append(w,
				     &(struct trawl_record){0, i % 11 ? 1 : 2, 0, i, record, len},
				     &err),
			0);
	}
	cr_assert_eq(trawl_writer_close(w, &err), 0);
	r = trawl_open(path, &err);
	for (uint64_t i = 0; i < AGAIN; i++) {
		cr_assert_eq(trawl_next(r, &ev, &err), 1, "%s", err.text);
		len = i % 11 ? again(i, record) : pointed(i, record);
		cr_assert(ev.len == len && !memcmp(ev.record, record, len), "event %lu", i);
	}
	cr_assert_eq(trawl_next(r, &ev, &err), 0);
	trawl_close(r);
	unlink(path);
}

/* A repeated tail is not copied into the batch, so it does not fill chunks either. */
Test(writer, tails_that_come_again_take_no_room)
{
	char path[] = "/tmp/trawl-again-XXXXXX";
	struct trawl_writer *w = begin(mkstemp(path));
	static uint8_t record[2][4096];
	struct trawl_reader *r;
	struct trawl_error err;
	size_t chunks;

	noise(record[1] + 8, sizeof(record[1]) - 8, 1);
	for (uint64_t i = 0; i < 8192; i++) {
		put64(record[i % 2], i);
		cr_assert_eq(trawl_append(w,
					  &(struct trawl_record){0, 1, 0, i, record[i % 2],
								 sizeof(record[0])},
					  &err),
			     0);
	}
	cr_assert_eq(trawl_writer_close(w, &err), 0);
	r = trawl_open(path, &err);
	chunks = chunks_of(r);
	cr_assert(chunks > 1 && chunks < 4, "%zu chunks of 32 MiB", chunks);
	trawl_close(r);
	unlink(path);
}

/* ---- rotation ------------------------------------------------------------------------------ */

Test(writer, every_file_of_a_rotation_stands_alone)
{
	char path[3][32] = { "/tmp/trawl-rot0-XXXXXX", "/tmp/trawl-rot1-XXXXXX",
			     "/tmp/trawl-rot2-XXXXXX" };
	struct trawl_sync sync = { .mono = 5, .real = 1005, .why = TRAWL_SYNC_START };
	struct trawl_meta old = { "m", "text/plain", 1, "old", 3, 0 },
			  m = { "m", "text/plain", 2, "new", 3, 0 };
	static const uint64_t lost[3] = { 0, 3 + 4, 8 };
	struct trawl_writer *w = begin(mkstemp(path[0]));
	struct trawl_loss l = { .from = 7, .to = 9, .reason = TRAWL_LOSS_OVERRUN };
	uint8_t record[64] = { 0 };
	struct trawl_error err;

	cr_assert_eq(trawl_writer_meta(w, &old, &err), 0);
	cr_assert_eq(trawl_writer_meta(w, &m, &err), 0);
	cr_assert_eq(trawl_writer_sync(w, &sync, &err), 0);
	for (uint64_t i = 0; i < 300; i++) {
		if (i == 100 || i == 200)
			cr_assert_eq(trawl_writer_rotate(w, mkstemp(path[i / 100]), &err), 0);
		l.count = i == 150 ? 3 : i == 160 ? 4 : i == 250 ? 8 : 0;
		if (l.count)
			cr_assert_eq(trawl_writer_loss(w, &l, &err), 0);
		put64(record, i);
		cr_assert_eq(
			trawl_append(w, &(struct trawl_record){0, 1, 0, 10 + i, record, 10}, &err),
			0);
	}
	cr_assert_eq(trawl_writer_events(w), 300);
	cr_assert_eq(trawl_writer_close(w, &err), 0);
	for (uint64_t k = 0; k < 3; k++) {
		struct trawl_reader *r = trawl_open(path[k], &err);
		struct trawl_event ev;
		struct trawl_verdict v;

		cr_assert_str_eq(trawl_meta_find(r, "m")->data, "new");
		for (uint64_t i = 0; i < 100; i++) {
			cr_assert_eq(trawl_next(r, &ev, &err), 1);
			cr_assert_eq(get64(ev.record), k * 100 + i);
			cr_assert_eq(ev.time, 1010 + k * 100 + i);
		}
		cr_assert_eq(trawl_next(r, &ev, &err), 0);
		trawl_verdict(r, &v);
		cr_assert_str_eq(v.text, "complete");
		trawl_close(r);
		cr_expect_eq(body_number(path[k], BLOCK_START, START_PART, 4), k);
		cr_expect_eq(body_number(path[k], BLOCK_END, END_LOST, 8), lost[k]);
		unlink(path[k]);
	}
}

/* ---- threads and memory -------------------------------------------------------------------- */

struct appender {
	pthread_t thread;
	struct trawl_writer *w;
	uint16_t source;
	uint32_t n;
};

static void *append_many(void *arg)
{
	struct appender *a = arg;
	uint8_t record[200];
	struct trawl_error err;

	noise(record, sizeof(record), a->source);
	for (uint32_t i = 0; i < a->n; i++) {
		put64(record, i);
		put64(record + 8 + i % 20 * 8, i * 0x9E3779B97F4A7C15u);
		if (trawl_append(a->w,
				 &(struct trawl_record){a->source, 1, i % 4, 1000 + i, record,
							sizeof(record)},
				 &err))
			return a;
	}
	return NULL;
}

/* Six threads at full speed: everything is written, and memory stays bounded. */
Test(writer, memory_is_bounded_whatever_the_rate)
{
#ifdef __SANITIZE_ADDRESS__
	enum { THREADS = 6, EVENTS = 20000, MOST = 1 << 20 };
#else
	enum { THREADS = 6, EVENTS = 200000, MOST = 64 << 10 };
#endif
	struct trawl_writer *w = begin(open("/dev/null", O_WRONLY));
	struct appender a[THREADS];
	struct rusage before, after;
	struct trawl_error err;
	void *failed;

	getrusage(RUSAGE_SELF, &before);
	for (int i = 1; i < THREADS; i++)
		cr_assert_eq(add(w, &err), i);
	for (int i = 0; i < THREADS; i++) {
		a[i] = (struct appender){ .w = w, .source = (uint16_t)i, .n = EVENTS };
		cr_assert_eq(pthread_create(&a[i].thread, NULL, append_many, &a[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(a[i].thread, &failed);
		cr_assert_null(failed);
	}
	cr_assert_eq(trawl_writer_events(w), THREADS * EVENTS);
	getrusage(RUSAGE_SELF, &after);
	cr_assert_eq(trawl_writer_close(w, &err), 0);
	cr_assert_lt(after.ru_maxrss - before.ru_maxrss, MOST, "%ld KiB", after.ru_maxrss -
		     before.ru_maxrss);
	fprintf(stderr, "# writer: %ld KiB\n", after.ru_maxrss - before.ru_maxrss);
}
