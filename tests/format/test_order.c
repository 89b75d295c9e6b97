/* SPDX-License-Identifier: MIT */
/*
 * The events that a reader returns and their order: equal times, time ranges, a clock that goes
 * back; the memory limit; a pipe without data.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include "format/body.h"
#include "format/reader.h"
#include "tests/format/sample.h"

enum { EVENTS = 300 };

static const struct trawl_field fields[] = {
	{ "n", "", "", TRAWL_UINT, TRAWL_FIXED, 0, 0, 4, 1 },
};

/* A file with a source for each name; each has event i at ts[i], on one CPU, and no clock-sync. */
static uint8_t *written(const char *const *names, uint16_t sources, const uint64_t *ts, size_t *n)
{
	struct trawl_writer_options o = { .chunk_events = 50 };
	struct trawl_error err;
	int fd = memfd_create("order", 0), copy = dup(fd);
	struct trawl_writer *w = trawl_writer_new(fd, &o, &err);
	uint8_t *p;

	cr_assert(w, "%s", err.text);
	for (uint16_t k = 0; k < sources; k++) {
		struct trawl_source s = { .name = names[k], .spec = "", .kind = "test",
					  .clock = TRAWL_CLOCK_MONO, .resolution = 1 };
		struct trawl_event_type t = { .source = k, .id = 1, .name = "a:b", .format = "",
					      .size = 4, .nfields = 1, .fields = fields };

		cr_assert_eq(trawl_writer_source(w, &s, &err), k, "%s", err.text);
		cr_assert_eq(trawl_writer_event_type(w, &t, &err), 0, "%s", err.text);
	}
	for (uint32_t i = 0; i < EVENTS; i++)
		for (uint16_t k = 0; k < sources; k++) {
			struct trawl_record r = { .source = k, .type = 1, .ts = ts[i],
						  .data = &i, .len = 4 };

			cr_assert_eq(trawl_append(w, &r, &err), 0, "%s", err.text);
		}
	cr_assert_eq(trawl_writer_close(w, &err), 0, "%s", err.text);
	*n = (size_t)lseek(copy, 0, SEEK_END);
	p = malloc(*n);
	cr_assert_eq(pread(copy, p, *n, 0), (ssize_t)*n);
	close(copy);
	return p;
}

/* Damages the first source block, and cuts off the end block, so that the file is scanned. */
static void damage_first_source(uint8_t *p, size_t *n)
{
	struct block b;

	*n -= END_BLOCK;
	for (size_t at = 0; at < *n; at += b.len) {
		cr_assert_eq(block_head(p + at, *n - at, &b), BLOCK_OK);
		if (b.kind != BLOCK_SOURCE)
			continue;
		p[at + BLOCK_HEAD] ^= 1;
		return;
	}
	cr_assert_fail("no source block");
}

Test(order, equal_times_come_by_the_number_of_the_source_also_of_one_from_the_index)
{
	static const char *const names[] = { "first", "second", "third" };
	uint64_t ts[EVENTS];
	struct trawl_error err;
	struct trawl_reader *r;
	struct trawl_event ev;
	uint32_t got = 0;
	uint8_t *p;
	size_t n;

	for (uint32_t i = 0; i < EVENTS; i++)
		ts[i] = 1000 + i;
	p = written(names, 3, ts, &n);
	damage_first_source(p, &n);
	r = reader_memory(p, n, false, &err);
	cr_assert(r, "%s", err.text);
	for (; trawl_next(r, &ev, &err) == 1; got++)
		cr_assert_str_eq(ev.source->name, names[got % 3], "event %u", got);
	cr_assert_eq(got, 3 * EVENTS);
	trawl_close(r);
	free(p);
}

static uint32_t in_range(const uint64_t *ts, uint64_t from, uint64_t to)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < EVENTS; i++)
		n += ts[i] >= from && ts[i] < to;
	return n;
}

Test(order, a_range_has_its_events_where_a_clock_went_back)
{
	static const char *const names[] = { "only" };
	uint64_t ts[EVENTS], seed = 7;
	struct trawl_error err;
	uint8_t *p;
	size_t n;

	for (uint32_t i = 0; i < EVENTS; i++)
		ts[i] = 10000 + i * 10 + sample_random(&seed) % 400;
	p = written(names, 1, ts, &n);
	for (int k = 0; k < 200; k++) {
		uint64_t from = 10000 + sample_random(&seed) % 3000;
		struct trawl_range range = { .from = from,
					     .to = from + sample_random(&seed) % 1000 };
		struct trawl_reader *r = reader_memory(p, n, false, &err);
		struct trawl_event ev;
		uint32_t got = 0;

		cr_assert(r && !trawl_select(r, &range, &err), "%s", err.text);
		for (; trawl_next(r, &ev, &err) == 1; got++) {
			uint32_t i = get32(ev.record);

			cr_assert(ev.time >= range.from && ev.time < range.to);
			cr_assert(i < EVENTS && ev.ts == ts[i]);
		}
		cr_assert_eq(got, in_range(ts, range.from, range.to), "%u of %u from %lu to %lu",
			     got, in_range(ts, range.from, range.to), range.from, range.to);
		trawl_close(r);
	}
	free(p);
}

/* ---- memory limits and invalid counts -------------------------------------------------------- */

static struct trawl_reader *open_bytes(const void *p, size_t n, struct trawl_memory *memory,
				       struct trawl_error *err)
{
	int fd = memfd_create("bytes", 0);
	struct trawl_reader *r;

	cr_assert_eq(write(fd, p, n), (ssize_t)n);
	lseek(fd, 0, SEEK_SET);
	r = trawl_open_fd(fd, "bytes", memory, err);
	close(fd);
	return r;
}

static void many_sections(struct buf *b)
{
	for (int i = 0; i < 20000; i++)
		pcapng_section(b, NULL);
}

Test(order, sections_count_as_memory)
{
	struct trawl_memory memory = { .most = 4 << 20 };
	struct buf b = { 0 };
	struct trawl_error err = { 0 };

	many_sections(&b);
	cr_assert_null(open_bytes(b.data, b.len, &memory, &err));
	cr_assert(strstr(err.text, "sections would take more"), "%s", err.text);
	cr_assert_eq(memory.used, 0);
	buf_free(&b);
}

Test(order, readers_share_a_limit)
{
	struct trawl_memory memory = { 0 };
	struct buf b = { 0 };
	struct trawl_error err = { 0 };
	struct trawl_reader *r, *again;

	many_sections(&b);
	r = open_bytes(b.data, b.len, &memory, &err);
	cr_assert(r, "%s", err.text);
	cr_assert_gt(memory.used, 4 << 20);
	memory.most = memory.used * 3 / 2;
	cr_assert_null(open_bytes(b.data, b.len, &memory, &err));
	cr_assert(strstr(err.text, "sections would take more"), "%s", err.text);
	trawl_close(r);
	cr_assert_eq(memory.used, 0);
	again = open_bytes(b.data, b.len, &memory, &err);
	cr_assert(again, "%s", err.text);
	trawl_close(again);
	cr_assert_eq(memory.used, 0);
	buf_free(&b);
}

/* The first blocks of a file. */
static void begin(struct buf *file)
{
	struct buf body = { 0 };

	pcapng_section(file, NULL);
	buf_u64(&body, 1);
	buf_u64(&body, XXH64(file->data, file->len, 0));
	buf_u32(&body, 0);
	block_build(file, BLOCK_START, 0, body.data, body.len);
	buf_free(&body);
}

Test(order, a_body_that_does_not_expand_is_not_read_as_it_is)
{
	const struct trawl_meta m = { .name = "machine", .type = "text/plain", .data = "x",
				      .len = 1 };
	struct buf file = { 0 }, body = { 0 };
	struct meta_part part = { 0 };
	struct trawl_verdict v;
	struct trawl_error err;
	struct trawl_reader *r;
	uint8_t *block;
	size_t at;

	begin(&file);
	cr_assert(meta_part_next(&part, &m));
	body_meta(&body, &part);
	at = file.len;
	block_build_version(&file, 2, BLOCK_META, 1, body.data, body.len);
	block = file.data + at;
	block[26] = BLOCK_ZSTD;
	put64(block + 32, XXH64(body.data, body.len, XXH64(block, 32, 0)));
	r = reader_memory(file.data, file.len, false, &err);
	cr_assert(r, "%s", err.text);
	trawl_verdict(r, &v);
	cr_expect_eq(trawl_meta_count(r), 0);
	cr_expect_eq(v.damaged, 1);
	trawl_close(r);
	buf_free(&file);
	buf_free(&body);
}

/* ---- a pipe with O_NONBLOCK set by another process ------------------------------------------- */

static pid_t write_later(int to, const uint8_t *p, size_t n)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	for (int half = 0; half < 2; half++) {
		size_t from = half ? n / 2 : 0, end = half ? n : n / 2;

		usleep(100000);
		while (from < end) {
			ssize_t k = write(to, p + from, end - from);

			if (k <= 0)
				_exit(1);
			from += (size_t)k;
		}
	}
	_exit(0);
}

Test(order, a_pipe_that_does_not_block_is_waited_for, .timeout = 60)
{
	struct trawl_error err;
	struct trawl_reader *r;
	struct trawl_event ev;
	uint32_t got = 0;
	int ends[2], ret, status;
	size_t n;
	uint8_t *p = sample_bytes("events", &n);
	pid_t pid;

	cr_assert_eq(pipe(ends), 0);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	pid = write_later(ends[1], p, n);
	close(ends[1]);
	r = trawl_open_fd(ends[0], "pipe", NULL, &err);
	cr_assert(r, "%s", err.text);
	while ((ret = trawl_next(r, &ev, &err)) == 1)
		got++;
	cr_assert_eq(ret, 0, "%s", err.text);
	cr_assert_gt(got, 100);
	trawl_close(r);
	close(ends[0]);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert_eq(status, 0);
	free(p);
}

/* ---- one kind of reading ------------------------------------------------------------------ */

static struct trawl_reader *opened(uint8_t **p)
{
	struct trawl_error err;
	size_t n;
	struct trawl_reader *r;

	*p = sample_bytes("events", &n);
	r = reader_memory(*p, n, false, &err);
	cr_assert(r, "%s", err.text);
	return r;
}

Test(order, at_the_end_each_way_of_reading_says_so)
{
	const struct trawl_chunk *chunk;
	struct trawl_piece piece;
	struct trawl_error err;
	struct trawl_event ev;
	uint8_t *p;
	struct trawl_reader *r = opened(&p);

	cr_assert_eq(r->reading, READING_NOTHING);
	while (trawl_next(r, &ev, &err) == 1)
		cr_assert_eq(r->reading, READING_EVENTS);
	cr_assert_eq(r->reading, READING_DONE);
	cr_assert_eq(trawl_next(r, &ev, &err), 0);
	cr_assert_eq(trawl_next_chunk(r, &chunk, &err), 0);
	cr_assert_eq(trawl_next_piece(r, &piece, &err), 0);
	trawl_close(r);
	free(p);
}

Test(order, pieces_are_not_mixed_with_chunks, .signal = SIGABRT)
{
	const struct trawl_chunk *chunk;
	struct trawl_piece piece;
	struct trawl_error err;
	uint8_t *p;
	struct trawl_reader *r = opened(&p);

	cr_assert_eq(trawl_next_chunk(r, &chunk, &err), 1);
	trawl_next_piece(r, &piece, &err);
}
