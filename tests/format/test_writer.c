/* SPDX-License-Identifier: MIT */
/* What a writer does at its limits: full disks, closed pipes, huge records, rotation, memory. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include "block.h"
#include "sample.h"

static const struct trawl_field fields[] = {
	{ "n", "", "", TRAWL_SEQ, TRAWL_FIXED, 0, 0, 8, 1 },
	{ "data", "", "", TRAWL_BYTES, TRAWL_TAIL, 0, 8, 1, 1 },
};
static const struct trawl_event_type type = {
	.id = 1, .name = "test:data", .format = "", .size = 8, .nfields = 2, .fields = fields,
};
static const struct trawl_source source = {
	.name = "usb", .spec = "usb", .kind = "test", .clock = TRAWL_CLOCK_MONO, .linktype = 252,
	.resolution = 1,
};

static int add(struct trawl_writer *w, struct trawl_error *err)
{
	struct trawl_event_type t = type;
	int id = trawl_writer_source(w, &source, err);

	t.source = (uint16_t)id;
	return id < 0 || trawl_writer_event_type(w, &t, err) ? -1 : id;
}

static struct trawl_writer *begin(int fd)
{
	struct trawl_error err;
	struct trawl_writer *w = trawl_writer_new(fd, NULL, &err);

	cr_assert(w, "%s", err.text);
	cr_assert_eq(add(w, &err), 0);
	return w;
}

static void noise(uint8_t *p, size_t n, uint64_t seed)
{
	for (size_t i = 0; i + 8 <= n; i += 8)
		put64(p + i, sample_random(&seed));
}

static uint64_t count_events(const char *path, struct trawl_verdict *v, uint64_t *lost)
{
	struct trawl_error err;
	struct trawl_reader *r = trawl_open(path, &err);
	struct trawl_event ev;
	uint64_t n = 0;

	cr_assert(r, "%s", err.text);
	while (trawl_next(r, &ev, &err) == 1)
		n++;
	trawl_verdict(r, v);
	*lost = 0;
	for (size_t i = 0; i < trawl_loss_count(r); i++) {
		cr_assert_eq(trawl_loss_at(r, i)->reason, TRAWL_LOSS_WRITE);
		*lost += trawl_loss_at(r, i)->count;
	}
	trawl_close(r);
	return n;
}

/* ---- what does not fit -------------------------------------------------------------------- */

/* Fills a disk; gives the error of the first append that failed, or of the close. */
static void fill_disk(const char *path, uint64_t *appended, struct trawl_error *first)
{
	struct trawl_writer *w = begin(open(path, O_RDWR | O_CREAT | O_TRUNC, 0600));
	struct trawl_error err;
	uint8_t record[4096];

	first->text[0] = 0;
	for (*appended = 0; *appended < 5000; ++*appended) {
		noise(record, sizeof(record), *appended);
		if (trawl_append(w, 0, 1, 0, 1000 + *appended, record, sizeof(record), &err) &&
		    !first->text[0])
			*first = err;
	}
	cr_assert_eq(trawl_writer_close(w, &err), -1);
	if (!first->text[0])
		*first = err;
	cr_assert_eq(err.sys, first->sys);
}

Test(writer, a_full_disk_keeps_what_was_written_and_counts_the_rest)
{
	char dir[] = "/tmp/trawl-full-XXXXXX", path[64];
	struct trawl_verdict v;
	struct trawl_error err;
	uint64_t appended, read, lost;

	cr_assert(mkdtemp(dir));
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("trawl", dir, "tmpfs", 0, "size=8m")) {
		rmdir(dir);
		cr_skip_test("mounting a small file system needs root");
	}
	snprintf(path, sizeof(path), "%s/x.trawl", dir);
	fill_disk(path, &appended, &err);
	cr_assert_eq(err.sys, ENOSPC, "%s", err.text);
	cr_assert_eq(err.status, TRAWL_CANNOT);
	cr_assert(strstr(err.text, "disk is full"));
	read = count_events(path, &v, &lost);
	cr_assert(v.complete, "%s", v.text);
	cr_assert_eq(v.damaged, 0);
	cr_assert_gt(read, 500);
	cr_assert_eq(read + lost, appended);
	umount(dir);
	rmdir(dir);
}

/* Without room for an end: the file ends with a whole block and is read as cut. */
Test(writer, a_file_that_may_not_grow_ends_with_a_whole_block)
{
	char path[] = "/tmp/trawl-limit-XXXXXX";
	struct rlimit limit = { 9 << 20, 9 << 20 };
	uint64_t appended, read, lost;
	struct trawl_verdict v;
	struct trawl_error err;

	close(mkstemp(path));
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	fill_disk(path, &appended, &err);
	cr_assert_eq(err.sys, EFBIG);
	read = count_events(path, &v, &lost);
	cr_assert_not(v.complete);
	cr_assert_eq(v.damaged, 0, "%s", v.text);
	cr_assert_eq(v.cut_at, 0, "%s", v.text);
	cr_assert(strstr(v.text, "no end block"));
	cr_assert_gt(read, 100);
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
		ret = trawl_append(w, 0, 1, 0, (uint64_t)i, record, sizeof(record), &err);
	}
	cr_assert_eq(ret, -1);
	cr_assert_eq(err.sys, EPIPE, "%s", err.text);
	cr_assert_eq(trawl_writer_close(w, &err), -1);
	cr_assert_eq(err.sys, EPIPE);
}

Test(writer, a_device_without_room_is_told)
{
	struct trawl_error err;

	cr_assert_null(trawl_writer_new(open("/dev/full", O_WRONLY), NULL, &err));
	cr_assert_eq(err.sys, ENOSPC);
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
		cr_assert_eq(trawl_append(w, 0, 1, 0, i, record, i % 3 ? 100 : TRAWL_RECORD_MAX,
					  &err), 0);
	cr_assert_eq(trawl_append(w, 0, 1, 0, 9, record, TRAWL_RECORD_MAX + 1, &err), -1);
	cr_assert_eq(err.status, TRAWL_USAGE);
	cr_assert_eq(trawl_append(w, 0, 1, 0, 9, record, 7, &err), -1);
	cr_assert(strstr(err.text, "7 bytes"));
	cr_assert_eq(trawl_append(w, 0, 2, 0, 9, record, 8, &err), -1);
	cr_assert(strstr(err.text, "type 2"));
	cr_assert_eq(trawl_append(w, 1, 1, 0, 9, record, 8, &err), -1);
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

/* ---- descriptions that cannot be kept ------------------------------------------------------ */

static void refuse_type(const struct trawl_field *f, uint32_t n, uint32_t size, const char *says)
{
	struct trawl_writer *w = begin(memfd_create("x", 0));
	struct trawl_event_type t = { .id = 2, .name = "a:b", .format = "", .size = size,
		.nfields = n, .fields = f };
	struct trawl_error err;

	cr_assert_eq(trawl_writer_event_type(w, &t, &err), -1);
	cr_assert(strstr(err.text, says), "\"%s\" does not say \"%s\"", err.text, says);
	cr_assert_eq(err.status, TRAWL_USAGE);
	cr_assert_eq(trawl_writer_close(w, &err), 0);
}

Test(writer, fields_that_do_not_fit_are_refused)
{
	struct trawl_field f[2] = { fields[0], fields[1] };

	refuse_type(f, 1, 7, "beyond the end");
	refuse_type(f, 2, 16, "begin at the end of the fixed part");
	f[0].size = 3;
	refuse_type(f, 1, 16, "1, 2, 4 or 8");
	f[0].size = 8;
	f[0].kind = TRAWL_KINDS;
	refuse_type(f, 1, 16, "unknown kind");
	f[0] = fields[1];
	refuse_type(f, 2, 8, "not the last");
	f[0] = (struct trawl_field){ "x", "", "", TRAWL_FLOAT, TRAWL_FIXED, 0, 0, 2, 1 };
	refuse_type(f, 1, 8, "float");
}

Test(writer, numbers_are_unique)
{
	struct trawl_writer *w = begin(memfd_create("x", 0));
	struct trawl_event_type t = type;
	struct trawl_source s = source;
	struct trawl_error err;

	cr_assert_eq(trawl_writer_event_type(w, &t, &err), -1);
	cr_assert(strstr(err.text, "taken"));
	t.id = 65536;
	cr_assert_eq(trawl_writer_event_type(w, &t, &err), -1);
	t.source = 3;
	cr_assert_eq(trawl_writer_event_type(w, &t, &err), -1);
	s.clock = 9;
	cr_assert_eq(trawl_writer_source(w, &s, &err), -1);
	s = source;
	for (int i = 1; i < 256; i++)
		cr_assert_eq(trawl_writer_source(w, &s, &err), i);
	cr_assert_eq(trawl_writer_source(w, &s, &err), -1);
	cr_assert(strstr(err.text, "256"));
	cr_assert_eq(trawl_writer_close(w, &err), 0);
}

/* ---- rotation ------------------------------------------------------------------------------ */

Test(writer, every_file_of_a_rotation_stands_alone)
{
	char path[3][32] = { "/tmp/trawl-rot0-XXXXXX", "/tmp/trawl-rot1-XXXXXX",
			     "/tmp/trawl-rot2-XXXXXX" };
	struct trawl_sync sync = { .mono = 5, .real = 1005, .why = TRAWL_SYNC_START };
	struct trawl_meta old = { "m", "text/plain", 1, "old", 3 }, m = { "m", "text/plain", 2, "new", 3 };
	struct trawl_writer *w = begin(mkstemp(path[0]));
	uint8_t record[64] = { 0 };
	struct trawl_error err;

	cr_assert_eq(trawl_writer_meta(w, &old, &err), 0);
	cr_assert_eq(trawl_writer_meta(w, &m, &err), 0);
	cr_assert_eq(trawl_writer_sync(w, &sync, &err), 0);
	for (uint64_t i = 0; i < 300; i++) {
		if (i == 100 || i == 200)
			cr_assert_eq(trawl_writer_rotate(w, mkstemp(path[i / 100]), &err), 0);
		put64(record, i);
		cr_assert_eq(trawl_append(w, 0, 1, 0, 10 + i, record, 10, &err), 0);
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
		if (trawl_append(a->w, a->source, 1, i % 4, 1000 + i, record, sizeof(record), &err))
			return a;
	}
	return NULL;
}

/* Six threads as fast as they can: all arrives, and the memory stays bounded. */
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
