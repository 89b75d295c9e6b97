/* SPDX-License-Identifier: MIT */
/*
 * Files of many segments, with one event in each chunk.
 *
 * The memory of a reader does not grow with the file: of two files, one four times as long as the
 * other, each is read in its own process, in every way, and the peak memory is compared. Events are
 * read in time order for any order of the chunks.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/memory.h"
#include "format/chunk.h"
#include "format/reader.h"
#include "format/sectionwriter.h"

/*
 * The shorter file has more than one index block. When all chunk and clock-sync references were
 * kept, the longer one took 5 MiB more.
 */
enum { SHORT = 24000, LONG = 4 * SHORT, SYNC_EVERY = 8, GROWTH_MAX = 1 << 20 };
#define EPOCH UINT64_C(1795000000000000000)

#ifdef __SANITIZE_ADDRESS__
/*
 * The sanitizer keeps freed memory, so the memory in use is counted instead. Not every compiler has
 * the header of these functions.
 */
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *p, size_t n),
					      void (*on_free)(const volatile void *p));
size_t __sanitizer_get_allocated_size(const volatile void *p);

static size_t in_use, most_in_use;

static void on_malloc(const volatile void *p, size_t n)
{
	size_t now = __atomic_add_fetch(&in_use, n, __ATOMIC_RELAXED);

	(void)p;
	if (now > most_in_use)
		most_in_use = now;
}

static void on_free(const volatile void *p)
{
	if (p)
		__atomic_sub_fetch(&in_use, __sanitizer_get_allocated_size(p), __ATOMIC_RELAXED);
}

static void start_counting(void)
{
	__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
}

static size_t most(void)
{
	return most_in_use;
}
#else
static void start_counting(void)
{
}

static size_t most(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (size_t)u.ru_maxrss << 10;
}
#endif

/* For the child processes, in which Criterion does not work. */
#define must(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "# %s:%d: not %s\n", __FILE__, __LINE__, #condition); \
			_exit(1); \
		} \
	} while (0)

/* ---- files --------------------------------------------------------------------------------- */

static const struct trawl_field fields[] = {
	{ "n", "", "", TRAWL_SEQ, TRAWL_FIXED, 0, 0, 8, 1 },
};
static const struct trawl_source sources[] = {
	{ .id = 0, .name = "mono", .spec = "", .kind = "test", .clock = TRAWL_CLOCK_MONO,
	  .linktype = 252, .resolution = 1 },
	{ .id = 1, .name = "real", .spec = "", .kind = "test", .clock = TRAWL_CLOCK_REAL,
	  .linktype = 252, .resolution = 1 },
};
static const struct trawl_event_type types[] = {
	{ .source = 0, .id = 1, .name = "test:n", .format = "", .size = 8, .nfields = 1,
	  .fields = fields },
	{ .source = 1, .id = 1, .name = "test:n", .format = "", .size = 8, .nfields = 1,
	  .fields = fields },
};

struct job {
	void (*run)(const struct job *job);
	uint32_t n;
	int fd;
	bool whole; /* has its index */
	/* number of the k-th event of the file; NULL: by time */
	uint32_t (*order)(uint32_t k, uint32_t n);
};

static uint64_t mono(uint32_t i)
{
	return 1000000 + 1000 * (uint64_t)i;
}

/*
 * Returns by how much the time of day is ahead of CLOCK_MONOTONIC: it runs at varying rates between
 * sync blocks and is set back sometimes, so far that chunks of some twenty events may be due first
 * and are open together. In tests of the order it is constant.
 */
static uint64_t ahead(const struct job *job, uint32_t i)
{
	enum { UNEVEN = 50, SET_EVERY = 63 * SYNC_EVERY, SET_BACK = 20000 };
	uint32_t a = i / SYNC_EVERY, part = i % SYNC_EVERY, from, to;

	if (job->order)
		return EPOCH;
	from = a * 37 % UNEVEN;
	to = (a + 1) * 37 % UNEVEN;
	return EPOCH + from * (SYNC_EVERY - part) + to * part - i / SET_EVERY * SET_BACK;
}

/* The clock-sync before event i. Its horizon is unknown. */
static struct clock_sync sync_at(const struct job *job, uint32_t i)
{
	return (struct clock_sync){ .at = i, .s = {
		.mono = mono(i), .real = mono(i) + ahead(job, i), .boot = mono(i), .bound = 10,
		.why = TRAWL_SYNC_TICK } };
}

/*
 * Does the writer's work without its threads: one event in each chunk, alternately of a source with
 * either clock.
 */
static void put_event(struct section_writer *file, struct chunk_encoder *e, const struct job *job,
		      uint32_t i)
{
	const struct trawl_event_type *type = &types[i & 1];
	struct chunk_schema schema = { &sources[i & 1], &type, 1 };
	uint8_t record[8];
	struct batch_event ev = { .ts = mono(i) + (i & 1 ? ahead(job, i) : 0), .len = 8 };
	struct batch b = { .events = &ev, .count = 1, .capacity = 1, .bytes = record,
			   .used = sizeof(record), .size = sizeof(record) };
	struct chunk_head head = { .source = i & 1, .count = 1 };
	struct trawl_error err;
	struct chunk_payload p;

	put64(record, i);
	must(!chunk_encode(e, &schema, &b, &p, &err));
	head.first = p.first;
	head.last = p.last;
	must(!section_writer_chunk(file, &head, p.data, p.len));
}

static void write_file(const struct job *job)
{
	struct section_writer_front front = { .name = "memory", .comment = "", .time = 1 };
	struct chunk_encoder *e[2] = { chunk_encoder_new(1), chunk_encoder_new(1) };
	struct section_writer file;
	uint32_t k;

	must(e[0] && e[1] && !section_writer_begin(&file, dup(job->fd), &front));
	for (uint16_t i = 0; i < 2; i++)
		must(!section_writer_source(&file, &sources[i]) &&
		     !section_writer_type(&file, &types[i], 0));
	for (uint32_t i = 0; i < job->n; i++) {
		struct clock_sync sync = sync_at(job, i);

		must(i % SYNC_EVERY || !section_writer_sync(&file, &sync.s));
		k = job->order ? job->order(i, job->n) : i;
		put_event(&file, e[k & 1], job, k);
	}
	section_writer_end(&file, 0);
	must(!section_writer_close(&file));
	chunk_encoder_free(e[0]);
	chunk_encoder_free(e[1]);
}

/* Reads in a child process; returns its peak memory. */
static size_t held_by(struct job *job)
{
	int report[2], status = -1;
	size_t held = 0;
	pid_t pid;

	cr_assert_eq(pipe(report), 0);
	pid = fork();
	if (!pid) {
		start_counting();
		job->run(job);
		held = most();
		_exit(write(report[1], &held, sizeof(held)) != sizeof(held));
	}
	close(report[1]);
	cr_assert_eq(read(report[0], &held, sizeof(held)), (ssize_t)sizeof(held));
	close(report[0]);
	waitpid(pid, &status, 0);
	cr_assert_eq(status, 0);
	return held;
}

static int file_of(uint32_t n, uint32_t (*order)(uint32_t k, uint32_t n))
{
	struct job job = { write_file, n, memfd_create("segment", 0), true, order };

	held_by(&job);
	return job.fd;
}

/* ---- the reader ---------------------------------------------------------------------------- */

static struct trawl_reader *open_file(const struct job *job)
{
	struct trawl_error err;
	struct trawl_reader *r;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", job->fd);
	r = trawl_open(path, &err);
	must(r);
	return r;
}

/* Returns the error bound by the clock-syncs that were written around the event. */
static uint64_t bound_of(const struct job *job, const struct trawl_event *ev, uint32_t i)
{
	enum { MORE = 4 };
	uint32_t last = (job->n - 1) / SYNC_EVERY, k = i / SYNC_EVERY;
	uint32_t from = k > MORE ? k - MORE : 0;
	struct clock_sync syncs[2 * MORE + 1];
	struct clock_sync first = sync_at(job, 0);
	struct clock_map m = clock_map(&first, 1);

	m.syncs = syncs;
	m.n = 0;
	for (uint32_t a = from; a <= k + MORE && a <= last; a++)
		syncs[m.n++] = sync_at(job, a * SYNC_EVERY);
	return clock_bound(&m, ev->source->clock, ev->ts, k - from + 1, ev->time - EPOCH);
}

static void read_events(const struct job *job, struct trawl_reader *r)
{
	struct trawl_error err;
	struct trawl_verdict v;
	struct trawl_event ev;

	for (uint32_t i = 0; i < job->n; i++) {
		must(trawl_next(r, &ev, &err) == 1);
		must(get64(ev.record) == i);
		/* the time of day is set there, so it is not constant */
		must(ev.time - EPOCH + 500 - mono(i) < 1000);
		must(job->order || i % 7 ||
		     trawl_event_bound(r, &ev) == bound_of(job, &ev, i));
	}
	must(trawl_next(r, &ev, &err) == 0);
	trawl_verdict(r, &v);
	must(v.complete == job->whole);
	must(v.chunks == job->n);
	must(v.syncs == job->n / SYNC_EVERY);
	trawl_close(r);
}

static void read_file(const struct job *job)
{
	read_events(job, open_file(job));
}

/* Reads the file through a pipe that another process fills. */
static void read_pipe(const struct job *job)
{
	struct trawl_error err;
	struct trawl_reader *r;
	char buf[65536];
	int p[2];
	ssize_t n;

	must(pipe(p) == 0);
	if (!fork()) {
		for (off_t at = 0; (n = pread(job->fd, buf, sizeof(buf), at)) > 0; at += n)
			if (write(p[1], buf, (size_t)n) != n)
				_exit(1);
		_exit(0);
	}
	close(p[1]);
	dup2(p[0], STDIN_FILENO);
	close(p[0]);
	r = trawl_open("-", &err);
	must(r);
	read_events(job, r);
}

static void read_chunks(const struct job *job)
{
	struct trawl_reader *r = open_file(job);
	const struct trawl_chunk *chunk;
	struct trawl_error err;
	uint64_t events = 0;

	while (trawl_next_chunk(r, &chunk, &err) == 1)
		events += chunk->count;
	must(events == job->n);
	trawl_close(r);
}

static void seek(const struct job *job)
{
	struct trawl_range range = { .to = UINT64_MAX };

	for (uint32_t i = 1; i < job->n; i += job->n / 8) {
		struct trawl_reader *r = open_file(job);
		struct trawl_error err;
		struct trawl_event ev;

		range.from = mono(i) + EPOCH;
		must(trawl_select(r, &range, &err) == 0);
		must(trawl_next(r, &ev, &err) == 1);
		must(get64(ev.record) == i);
		trawl_close(r);
	}
}

static const struct {
	const char *what;
	void (*run)(const struct job *job);
} ways[] = {
	{ "a file", read_file }, { "a pipe", read_pipe },
	{ "chunk by chunk", read_chunks }, { "seeking", seek },
};

/* `whole`: with its end, which says where the index is. */
static void takes_no_more(int shorter, int longer, bool whole)
{
	struct job one = { .n = SHORT, .fd = shorter, .whole = whole };
	struct job two = { .n = LONG, .fd = longer, .whole = whole };

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		size_t few, many;

		one.run = two.run = ways[i].run;
		few = held_by(&one);
		many = held_by(&two);
		fprintf(stderr, "# %s%s: %zu and %zu KiB\n", ways[i].what, whole ? "" : ", cut",
			few >> 10, many >> 10);
		cr_assert_lt(many, few + GROWTH_MAX, "%s%s: %zu and %zu bytes", ways[i].what,
			     whole ? "" : ", cut", few, many);
	}
}

Test(segment, memory_is_the_same_for_a_longer_file)
{
	int shorter = file_of(SHORT, NULL), longer = file_of(LONG, NULL);

	takes_no_more(shorter, longer, true);
	cr_assert_eq(ftruncate(shorter, lseek(shorter, 0, SEEK_END) - 1), 0);
	cr_assert_eq(ftruncate(longer, lseek(longer, 0, SEEK_END) - 1), 0);
	takes_no_more(shorter, longer, false);
	close(shorter);
	close(longer);
}

/* ---- order --------------------------------------------------------------------------------- */

/* All events of one source, then all of the other. */
static uint32_t one_behind_the_other(uint32_t k, uint32_t n)
{
	return k < n / 2 ? 2 * k : 2 * (k - n / 2) + 1;
}

/* Events of the first source scattered among some thousand of the other. */
static uint32_t here_and_there(uint32_t k, uint32_t n)
{
	enum { WINDOW = 4000 };
	uint32_t first = k / WINDOW * WINDOW;

	return k & 1 || first + WINDOW > n ? k : first + (k - first) / 2 * 1031 % (WINDOW / 2) * 2;
}

static void read_part(const struct job *job)
{
	uint32_t from = job->n / 3, to = from + 100;
	struct trawl_range range = { mono(from) + EPOCH, mono(to) + EPOCH, { 0 }, { 0 } };
	struct trawl_reader *r = open_file(job);
	struct trawl_error err;
	struct trawl_event ev;

	must(trawl_select(r, &range, &err) == 0);
	for (uint32_t i = from; i < to; i++) {
		must(trawl_next(r, &ev, &err) == 1);
		must(get64(ev.record) == i);
	}
	must(trawl_next(r, &ev, &err) == 0);
	trawl_close(r);
}

static void comes_by_time(uint32_t (*order)(uint32_t k, uint32_t n))
{
	struct job job = { .n = SHORT, .fd = file_of(SHORT, order), .order = order };

	for (int cut = 0; cut < 2; cut++) {
		job.whole = !cut;
		job.run = read_file;
		held_by(&job);
		job.run = read_part;
		held_by(&job);
		cr_assert_eq(ftruncate(job.fd, lseek(job.fd, 0, SEEK_END) - 1), 0);
	}
	close(job.fd);
}

Test(segment, events_come_by_time_whatever_the_order_of_chunks)
{
	comes_by_time(NULL);
	comes_by_time(one_behind_the_other);
	comes_by_time(here_and_there);
}

/* Its last index block has been read by then; the one before is none any more. */
static struct trawl_reader *open_changing_file(struct job *job)
{
	static const char nothing[4096];
	struct trawl_reader *r;

	*job = (struct job){ .n = SHORT, .fd = file_of(SHORT, NULL), .whole = true };
	r = open_file(job);
	for (off_t at = 8192; at < lseek(job->fd, 0, SEEK_END); at += (off_t)sizeof(nothing))
		cr_assert_gt(pwrite(job->fd, nothing, sizeof(nothing), at), 0);
	return r;
}

Test(segment, a_file_that_changes_while_it_is_read_is_not_taken_for_a_lack_of_memory)
{
	struct job job;
	struct trawl_reader *r = open_changing_file(&job);
	struct trawl_error err;
	struct trawl_event ev;
	int ret;

	while ((ret = trawl_next(r, &ev, &err)) == 1)
		;
	cr_assert_eq(ret, -1);
	cr_expect(strstr(err.text, "changed while it was read"), "%s", err.text);
	trawl_close(r);
	close(job.fd);
}

Test(segment, nor_is_one_whose_clock_syncs_are_wanted_and_have_changed)
{
	struct job job;
	struct trawl_reader *r = open_changing_file(&job);
	struct trawl_error err;

	cr_assert_eq(trawl_pieces_failed(r, &err), 0);
	trawl_section_time(r, 0, TRAWL_CLOCK_REAL, mono(100) + ahead(&job, 100));
	cr_assert_eq(trawl_pieces_failed(r, &err), -1);
	cr_expect(strstr(err.text, "changed while it was read"), "%s", err.text);
	trawl_close(r);
	close(job.fd);
}
