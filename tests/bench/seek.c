/* SPDX-License-Identifier: MIT */
/*
 * Time seek: seek [FILE [MEGABYTES]] makes a capture of that size (1024) unless FILE exists, then
 * opens it and reads the first event after each of a hundred random times. Prints, for opening
 * and for one seek with opening, the bytes read, the time taken, and the processor's part of it.
 * The events are noise, the worst case: 40 bytes each in the file.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "format/reader.h"
#include "tests/format/sample.h"

enum { SEEKS = 100, RECORD = 48 };

static const struct trawl_field fields[] = {
	{ "a", "", "", TRAWL_HEX, TRAWL_FIXED, 0, 0, 8, 6 },
};

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/*
 * Writes events that compress badly, with a sync block every 20,000: one second of a busy machine.
 */
static int make(const char *path, uint64_t bytes, struct trawl_error *err)
{
	struct trawl_source s = { .name = "event", .spec = "", .kind = "test",
		.clock = TRAWL_CLOCK_MONO, .linktype = 252, .resolution = 1 };
	struct trawl_event_type t = { .id = 1, .name = "a:b", .format = "", .size = RECORD,
		.nfields = 1, .fields = fields };
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	struct trawl_writer *w = trawl_writer_new(fd, NULL, err);
	uint64_t seed = 1, ts = 1000000000, n = 0;
	uint8_t r[RECORD];
	int ret = !w || trawl_writer_source(w, &s, err) < 0 || trawl_writer_event_type(w, &t, err) ?
		-1 : 0;

	while (!ret && trawl_writer_bytes(w) < bytes) {
		for (int i = 0; i < RECORD / 8; i++)
			put64(r + i * 8, sample_random(&seed));
		ts += 50000;
		ret = trawl_append(w, &(struct trawl_record){0, 1, n % 4, ts, r, RECORD}, err);
		if (!ret && n++ % 20000 == 0) {
			struct trawl_sync sync = { .mono = ts, .real = ts + 1795000000000000000u,
				.boot = ts, .bound = 100, .horizon = ts, .why = TRAWL_SYNC_TICK };

			ret = trawl_writer_sync(w, &sync, err);
		}
	}
	return ret || trawl_writer_close(w, err) ? -1 : 0;
}

struct cost {
	double wall, cpu; /* at its start */
	double ms_sum, ms_least, cpu_sum;
	uint64_t bytes_sum, bytes_most;
};

static void start(struct cost *c)
{
	c->wall = now(CLOCK_MONOTONIC);
	c->cpu = now(CLOCK_PROCESS_CPUTIME_ID);
}

static void stop(struct cost *c, uint64_t bytes)
{
	double ms = now(CLOCK_MONOTONIC) - c->wall;

	c->cpu_sum += now(CLOCK_PROCESS_CPUTIME_ID) - c->cpu;
	c->ms_sum += ms;
	c->bytes_sum += bytes;
	c->ms_least = !c->ms_least || ms < c->ms_least ? ms : c->ms_least;
	c->bytes_most = bytes > c->bytes_most ? bytes : c->bytes_most;
}

static void show(const char *what, const struct cost *c)
{
	printf("%-14s %6.2f ms, least %5.2f, processor %5.2f; %7.1f KiB, most %7.1f\n", what,
	       c->ms_sum / SEEKS, c->ms_least, c->cpu_sum / SEEKS,
	       (double)c->bytes_sum / SEEKS / 1024, (double)c->bytes_most / 1024);
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "seek.trawl";
	uint64_t megabytes = argc > 2 ? strtoull(argv[2], NULL, 0) : 1024, seed = 9, from, to;
	struct cost opening = { 0 }, seeking = { 0 };
	struct trawl_error err;
	struct trawl_reader *r;

	if (access(path, R_OK) && make(path, megabytes << 20, &err))
		goto fail;
	for (int i = 0; i < SEEKS; i++) {
		struct trawl_range range = { .to = UINT64_MAX };
		struct trawl_event ev;

		start(&opening);
		start(&seeking);
		r = trawl_open(path, &err);
		if (!r)
			goto fail;
		stop(&opening, r->in.bytes_read);
		from = trawl_sync_at(r, 0)->real;
		to = trawl_sync_at(r, trawl_sync_count(r) - 1)->real;
		range.from = from + sample_random(&seed) % (to - from);
		trawl_select(r, &range, &err);
		if (trawl_next(r, &ev, &err) != 1 || ev.time < range.from)
			printf("seek to %" PRIu64 " found nothing\n", range.from);
		stop(&seeking, r->in.bytes_read);
		if (!i)
			printf("%s: %.1f MiB, %" PRIu64 " chunks\n", path,
			       (double)r->in.size / 1048576, r->chunks);
		trawl_close(r);
	}
	show("open", &opening);
	show("open and seek", &seeking);
	return 0;
fail:
	fprintf(stderr, "%s\n", err.text);
	return (int)err.status;
}
