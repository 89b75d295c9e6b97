/* SPDX-License-Identifier: MIT */
/* A writer that keeps the newest events in memory, and the files that it makes of them. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "format/metacache.h"
#include "tests/format/sample.h"

enum { RING = 1 << 20, RECORD = 1024 };

static const struct trawl_field fields[] = {
	{ "n", "", "", TRAWL_SEQ, TRAWL_FIXED, 0, 0, 8, 1 },
	{ "data", "", "", TRAWL_BYTES, TRAWL_TAIL, 0, 8, 1, 1 },
};
static const struct trawl_source source = {
	.name = "test", .spec = "test", .kind = "test", .clock = TRAWL_CLOCK_MONO,
	.linktype = 252, .resolution = 1,
};

static void add_type(struct trawl_writer *w, uint32_t id, const char *name)
{
	struct trawl_event_type t = {
		.id = id, .name = name, .format = "", .size = 8, .nfields = 2, .fields = fields,
	};
	struct trawl_error err;

	cr_assert_eq(trawl_writer_event_type(w, &t, &err), 0, "%s", err.text);
}

static struct trawl_writer *begin(void)
{
	struct trawl_writer_options o = { .ring = RING };
	struct trawl_error err;
	struct trawl_writer *w = trawl_writer_new(-1, &o, &err);

	cr_assert(w, "%s", err.text);
	cr_assert_eq(trawl_writer_source(w, &source, &err), 0);
	add_type(w, 1, "test:data");
	return w;
}

/* Event n, at time 1000 + n, with bytes that do not compress. */
static void append(struct trawl_writer *w, uint64_t n)
{
	uint8_t record[RECORD];
	uint64_t seed = n + 1;
	struct trawl_error err;

	put64(record, n);
	for (size_t i = 8; i < sizeof(record); i += 8)
		put64(record + i, sample_random(&seed));
	cr_assert_eq(trawl_append(w,
				  &(struct trawl_record){0, 1, 0, 1000 + n, record, sizeof(record)},
				  &err),
		     0, "%s", err.text);
}

static void sync_at(struct trawl_writer *w, uint64_t mono, enum trawl_sync_why why)
{
	struct trawl_sync s = { .mono = mono, .real = mono + 5000, .boot = mono, .why = why };
	struct trawl_error err;

	cr_assert_eq(trawl_writer_sync(w, &s, &err), 0, "%s", err.text);
}

static void meta(struct trawl_writer *w, const char *name, const char *text)
{
	struct trawl_meta m = { .name = name, .type = "text/plain", .data = text,
				.len = strlen(text) };
	struct trawl_error err;

	cr_assert_eq(trawl_writer_meta(w, &m, &err), 0, "%s", err.text);
}

static void loss(struct trawl_writer *w, uint64_t from, uint64_t count)
{
	struct trawl_loss l = { .from = from, .to = from + 1, .count = count,
				.reason = TRAWL_LOSS_OVERRUN };
	struct trawl_error err;

	cr_assert_eq(trawl_writer_loss(w, &l, &err), 0, "%s", err.text);
}

/* Writes the contents of the ring to a file and opens it. */
static struct trawl_reader *spill(struct trawl_writer *w)
{
	char path[] = "/tmp/trawl-ring-XXXXXX";
	struct trawl_error err;
	struct trawl_reader *r;
	uint64_t events;
	struct trawl_spill *s = trawl_writer_take(w, &err);

	cr_assert(s, "%s", err.text);
	cr_assert_eq(trawl_spill_write(s, mkstemp(path), &events, &err), 0, "%s", err.text);
	r = trawl_open(path, &err);
	cr_assert(r, "%s", err.text);
	unlink(path);
	return r;
}

/* Reads all events, which must be numbered from *first on without a gap; complete and in order. */
static uint64_t read_all(struct trawl_reader *r, uint64_t *first)
{
	struct trawl_verdict v;
	struct trawl_error err;
	struct trawl_event ev;
	uint64_t n = 0;

	for (; trawl_next(r, &ev, &err) == 1; n++) {
		if (!n)
			*first = get64(ev.record);
		cr_assert_eq(get64(ev.record), *first + n);
		cr_assert_eq(ev.ts, 1000 + *first + n);
		cr_assert_eq(ev.len, RECORD);
	}
	trawl_verdict(r, &v);
	cr_assert(v.complete && v.index_used && !v.damaged, "%s", v.text);
	cr_assert_eq(v.events, n);
	return n;
}

static void close_writer(struct trawl_writer *w)
{
	struct trawl_error err;

	cr_assert_eq(trawl_writer_close(w, &err), 0, "%s", err.text);
}

Test(ring, the_newest_is_kept_and_the_oldest_gives_way)
{
	struct trawl_writer *w = begin();
	struct trawl_ring_state state;
	struct trawl_reader *r;
	uint64_t first = 0, n;

	for (uint64_t i = 0; i < 10000; i++) {
		append(w, i);
		if (i % 100 == 99)
			sync_at(w, 1000 + i, TRAWL_SYNC_TICK);
	}
	trawl_writer_ring(w, &state);
	cr_assert_leq(state.bytes, RING);
	cr_assert_gt(state.bytes, RING * 3 / 4);
	cr_assert_eq(state.events + state.dropped, 10000);
	r = spill(w);
	n = read_all(r, &first);
	cr_assert_eq(first + n, 10000);
	cr_assert_eq(n, state.events);
	/* A clock-sync from before the first event is present, for its time of day. */
	cr_assert_leq(trawl_sync_at(r, 0)->mono, 1000 + first);
	cr_assert_eq(trawl_to_timeline(r, TRAWL_CLOCK_MONO, 1000 + first), 6000 + first);
	trawl_close(r);
	close_writer(w);
}

Test(ring, no_event_is_in_two_files)
{
	struct trawl_writer *w = begin();
	struct trawl_reader *r;
	uint64_t first = 0;

	for (uint64_t i = 0; i < 300; i++)
		append(w, i);
	r = spill(w);
	cr_assert_eq(read_all(r, &first), 300);
	cr_assert_eq(first, 0);
	trawl_close(r);
	for (uint64_t i = 300; i < 500; i++)
		append(w, i);
	r = spill(w);
	cr_assert_eq(read_all(r, &first), 200);
	cr_assert_eq(first, 300);
	trawl_close(r);
	r = spill(w);
	cr_assert_eq(read_all(r, &first), 0);
	cr_assert_eq(trawl_event_type_count(r), 1);
	trawl_close(r);
	close_writer(w);
}

Test(ring, what_was_said_long_ago_is_in_each_file)
{
	struct trawl_writer *w = begin();
	uint64_t first = 0;

	meta(w, "machine", "first");
	meta(w, "probe/x", "old");
	meta(w, "probe/x", "new");
	for (uint64_t i = 0; i < 5000; i++)
		append(w, i);
	meta(w, "task/9", "late");
	add_type(w, 2, "test:late");
	for (int file = 0; file < 2; file++) {
		struct trawl_reader *r = spill(w);

		read_all(r, &first);
		cr_assert_eq(trawl_event_type_count(r), 2);
		cr_assert_str_eq(trawl_meta_find(r, "machine")->data, "first");
		cr_assert_str_eq(trawl_meta_find(r, "probe/x")->data, "new");
		cr_assert_str_eq(trawl_meta_find(r, "task/9")->data, "late");
		cr_assert_eq(trawl_meta_count(r), 3);
		trawl_close(r);
	}
	close_writer(w);
}

Test(ring, losses_go_with_the_events_around_them)
{
	struct trawl_writer *w = begin();
	struct trawl_reader *r;
	uint64_t first = 0;

	loss(w, 1000, 7);
	for (uint64_t i = 0; i < 3000; i++)
		append(w, i);
	sync_at(w, 4000, TRAWL_SYNC_TICK);
	loss(w, 4000, 5);
	for (uint64_t i = 3000; i < 3010; i++)
		append(w, i);
	r = spill(w);
	read_all(r, &first);
	cr_assert_eq(trawl_loss_count(r), 1);
	cr_assert_eq(trawl_loss_at(r, 0)->count, 5);
	trawl_close(r);
	r = spill(w);
	cr_assert_eq(trawl_loss_count(r), 0);
	trawl_close(r);
	close_writer(w);
}

/* One event, then a week in which only the clocks are read. */
Test(ring, idle_ticks_push_nothing_out)
{
	struct trawl_writer *w = begin();
	struct trawl_ring_state state;
	struct trawl_reader *r;
	uint64_t first = 9;

	sync_at(w, 900, TRAWL_SYNC_START);
	append(w, 0);
	for (uint64_t i = 0; i < 20000; i++)
		sync_at(w, 2000 + i, TRAWL_SYNC_TICK);
	sync_at(w, 30000, TRAWL_SYNC_STEP);
	for (uint64_t i = 0; i < 20000; i++)
		sync_at(w, 40000 + i, TRAWL_SYNC_TICK);
	trawl_writer_ring(w, &state);
	cr_assert_lt(state.bytes, 4096);
	cr_expect_eq(state.since, 900);
	r = spill(w);
	cr_assert_eq(read_all(r, &first), 1);
	cr_assert_eq(trawl_sync_count(r), 6);
	cr_assert_eq(trawl_sync_at(r, 5)->mono, 40000 + 19999);
	trawl_close(r);
	close_writer(w);
}

/* Returns the time of the first clock reading in the ring, at any place; 0: there is none. */
Test(ring, it_says_since_when)
{
	struct trawl_writer *w = begin();
	struct trawl_ring_state state;

	append(w, 0);
	loss(w, 5, 1);
	trawl_writer_ring(w, &state);
	cr_expect_eq(state.since, 0);
	sync_at(w, 7000, TRAWL_SYNC_START);
	append(w, 1);
	sync_at(w, 8000, TRAWL_SYNC_STOP);
	trawl_writer_ring(w, &state);
	cr_expect_eq(state.since, 7000);
	for (uint64_t i = 2; i < 5000; i++)
		append(w, i);
	trawl_writer_ring(w, &state);
	cr_expect_eq(state.since, 8000, "the newest that was pushed out");
	close_writer(w);
}

struct slow {
	struct trawl_spill *spill;
	int fd;
};

static void *write_slowly(void *arg)
{
	struct slow *s = arg;
	struct trawl_error err;
	uint64_t events;

	cr_assert_eq(trawl_spill_write(s->spill, s->fd, &events, &err), 0, "%s", err.text);
	return NULL;
}

/* The file is a pipe that is read slowly; events are appended meanwhile. */
Test(ring, goes_on_while_a_file_is_written)
{
	struct trawl_writer *w = begin();
	struct trawl_error err;
	struct trawl_reader *r;
	struct slow slow;
	pthread_t thread;
	char buffer[65536];
	uint64_t first = 0, n, bytes = 0;
	ssize_t got;
	int fds[2];

	for (uint64_t i = 0; i < 2000; i++)
		append(w, i);
	sync_at(w, 3000, TRAWL_SYNC_TICK);
	slow.spill = trawl_writer_take(w, &err);
	cr_assert(slow.spill);
	cr_assert_null(trawl_writer_take(w, &err));
	cr_assert(strstr(err.text, "still being written"));
	cr_assert_eq(pipe(fds), 0);
	slow.fd = fds[1];
	pthread_create(&thread, NULL, write_slowly, &slow);
	for (uint64_t i = 2000; i < 2040; i++)
		append(w, i);
	while ((got = read(fds[0], buffer, sizeof(buffer))) > 0)
		bytes += (uint64_t)got;
	pthread_join(thread, NULL);
	cr_assert_gt(bytes, RING / 2);
	for (uint64_t i = 2040; i < 5000; i++)
		append(w, i);
	r = spill(w);
	n = read_all(r, &first);
	cr_assert_eq(first + n, 5000);
	trawl_close(r);
	close_writer(w);
}

Test(ring, a_file_that_cannot_be_written_costs_only_itself)
{
	struct trawl_writer *w = begin();
	struct trawl_error err;
	struct trawl_spill *s;
	struct trawl_reader *r;
	uint64_t first = 0, events;

	for (uint64_t i = 0; i < 100; i++)
		append(w, i);
	s = trawl_writer_take(w, &err);
	cr_assert(s);
	cr_assert_eq(trawl_spill_write(s, open("/dev/full", O_WRONLY), &events, &err), -1);
	cr_assert_eq(events, 0);
	cr_assert(strstr(err.text, "disk is full"), "%s", err.text);
	for (uint64_t i = 100; i < 200; i++)
		append(w, i);
	r = spill(w);
	cr_assert_eq(read_all(r, &first), 100);
	cr_assert_eq(first, 100);
	trawl_close(r);
	close_writer(w);
}

/* The file has the first events, and a loss counts the others. */
Test(ring, a_file_that_cannot_take_all_tells_what_it_lacks)
{
	const uint64_t all = 600;
	char path[] = "/tmp/trawl-ring-XXXXXX";
	struct trawl_writer *w = begin();
	const struct trawl_loss *l;
	uint64_t first = 0, events;
	struct trawl_error err;
	struct trawl_reader *r;

	for (uint64_t i = 0; i < all; i++)
		append(w, i);
	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 300 << 10, RLIM_INFINITY }), 0);
	cr_assert_eq(trawl_spill_write(trawl_writer_take(w, &err), mkstemp(path), &events, &err),
		     -1);
	cr_assert_eq(err.sys, EFBIG);
	r = trawl_open(path, &err);
	cr_assert(r, "%s", err.text);
	unlink(path);
	cr_assert_eq(read_all(r, &first), events);
	cr_assert_eq(first, 0);
	cr_assert(events > 0 && events < all);
	cr_assert_eq(trawl_loss_count(r), 1);
	l = trawl_loss_at(r, 0);
	cr_assert_eq(l->reason, TRAWL_LOSS_WRITE);
	cr_assert_eq(l->count, all - events);
	cr_assert_eq(l->from, 1000 + events);
	cr_assert_eq(l->to, 1000 + all - 1);
	trawl_close(r);
	close_writer(w);
}

/* It is not stored, and a message says so. */
Test(ring, a_record_too_large_for_it_is_a_loss)
{
	static uint8_t huge[RING];
	struct trawl_writer *w = begin();
	struct trawl_error err;
	struct trawl_reader *r;
	uint64_t first = 0, seed = 1;

	for (size_t i = 0; i < sizeof(huge); i += 8)
		put64(huge + i, sample_random(&seed));
	cr_assert_eq(
		trawl_append(w, &(struct trawl_record){0, 1, 0, 500, huge, sizeof(huge)}, &err), 0);
	append(w, 0);
	r = spill(w);
	cr_assert_eq(read_all(r, &first), 1);
	cr_assert_eq(trawl_loss_count(r), 1);
	cr_assert_eq(trawl_loss_at(r, 0)->count, 1);
	cr_assert_eq(trawl_loss_at(r, 0)->reason, TRAWL_LOSS_WRITE);
	trawl_close(r);
	close_writer(w);
}

Test(ring, larger_than_the_memory_of_the_machine_is_refused)
{
	struct trawl_writer_options o = { .ring = UINT64_MAX / 2 };
	struct trawl_error err;

	cr_assert_null(trawl_writer_new(-1, &o, &err));
	cr_assert(strstr(err.text, "this machine has"), "%s", err.text);
}

Test(meta_cache, of_the_largest_family_the_oldest_goes)
{
	struct meta_cache f;
	struct cached_meta **held;
	char name[32], text[1000] = "";
	size_t n, tasks = 0;

	meta_cache_init(&f, 100000);
	for (int i = 0; i < 1000; i++) {
		struct trawl_meta m = { .name = name, .data = text, .len = sizeof(text) };

		snprintf(name, sizeof(name),
			 i < 3	  ? "probe/%d"
			 : i == 3 ? "machine"
				  : "task/%d",
			 i);
		cr_assert(meta_cache_put(&f, &m));
		cr_assert_leq(f.used, f.most);
	}
	held = meta_cache_hold(&f, &n);
	cr_assert_eq(n, f.count);
	cr_assert_str_eq(held[0]->meta.name, "probe/0");
	cr_assert_str_eq(held[3]->meta.name, "machine");
	cr_assert_str_eq(held[n - 1]->meta.name, "task/999");
	for (size_t i = 4; i < n; i++, tasks++)
		cr_assert_eq(atoi(held[i]->meta.name + 5), (int)(1000 - (n - i)));
	cr_assert_gt(tasks, 80);
	meta_cache_free(&f);
	/* Held entries stay. */
	cr_assert_str_eq(held[0]->meta.name, "probe/0");
	meta_cache_release(held, n);
}
