/* SPDX-License-Identifier: MIT */
/* Samples of features in docs/format.md that everyday captures rarely use. */
#include <stdio.h>
#include <unistd.h>

#include "tests/format/sample.h"
#include "tests/format/sample_codings.h"
#include "common/array.h"


enum { SECOND = 1000000000 };
#define BOOT 1795000000000000000u

int sample_finish(struct trawl_writer *w, int failed, struct trawl_error *err)
{
	struct trawl_error ignored = { 0 };

	if (!failed)
		return trawl_writer_close(w, err);
	trawl_writer_close(w, &ignored);
	return -1;
}

/* ---- codings ------------------------------------------------------------------------------ */

static const struct trawl_field coded_common[] = {
	{ "pid", "int", "", TRAWL_PID, TRAWL_FIXED, 0, 0, 4, 1 },
};
static const struct trawl_field coded[] = {
	{ "kind", "", "", TRAWL_UINT, TRAWL_FIXED, TRAWL_FIELD_KEY, 4, 2, 1 },
	{ "size", "", "", TRAWL_UINT, TRAWL_FIXED, 0, 6, 4, 1 },
	{ "error", "", "", TRAWL_INT, TRAWL_FIXED, 0, 10, 8, 1 },
	{ "start", "", "", TRAWL_ADDR, TRAWL_FIXED, 0, 18, 8, 1 },
	{ "end", "", "", TRAWL_ADDR, TRAWL_FIXED, 0, 26, 8, 1 },
	{ "when", "", "", TRAWL_TIME, TRAWL_FIXED, 0, 34, 8, 1 },
	{ "total", "", "", TRAWL_UINT, TRAWL_FIXED, 0, 42, 8, 1 },
	{ "digest", "", "", TRAWL_BYTES, TRAWL_FIXED, 0, 50, 1, 20 },
	{ "noise", "", "", TRAWL_UINT, TRAWL_FIXED, 0, 70, 8, 1 },
	{ "text", "__data_loc char[]", "", TRAWL_TEXT, TRAWL_DATA_LOC, 0, 78, 1, 1 },
	{ "blob", "__rel_loc u8[]", "", TRAWL_BYTES, TRAWL_REL_LOC, 0, 82, 1, 1 },
};
enum { CODED_SIZE = 86 };

/* A number of up to `bits` bits, of which small ones are as frequent as large ones. */
static uint64_t any_size(uint64_t *seed, unsigned int bits)
{
	return sample_random(seed) >> (64 - 1 - sample_random(seed) % bits);
}

static size_t coded_record(uint8_t *p, uint64_t *seed, uint64_t ts, uint32_t i)
{
	static uint64_t total;
	uint64_t start = sample_random(seed) >> 16, size = any_size(seed, 24);
	size_t len = CODED_SIZE, n;

	total = i ? total + any_size(seed, 12) : 0;
	put32(p, 100 + sample_random(seed) % 3);
	put16(p + 4, (uint16_t)(i % 300));
	put32(p + 6, (uint32_t)size);
	put64(p + 10, sample_random(seed) % 2 ? any_size(seed, 30) : -any_size(seed, 30));
	put64(p + 18, start);
	put64(p + 26, start + any_size(seed, 10));
	put64(p + 34, ts - any_size(seed, 14));
	put64(p + 42, total);
	for (int k = 0; k < 20; k++)
		p[50 + k] = (uint8_t)sample_random(seed);
	put64(p + 70, sample_random(seed));
	n = (size_t)sprintf((char *)p + len, "item %u", i % 50) + 1;
	put32(p + 78, (uint32_t)(n << 16 | len));
	len += n;
	put32(p + 82, (uint32_t)((i % 40) << 16 | (len - CODED_SIZE)));
	for (uint32_t k = 0; k < i % 40; k++)
		p[len++] = (uint8_t)sample_random(seed);
	if (i % 97 == 96) /* points outside: the record is kept whole */
		put32(p + 78, (uint32_t)(n << 16 | 60000));
	return len;
}

int sample_codings(int fd, struct trawl_error *err)
{
	static const struct trawl_writer_options o = {
		.chunk_events = 1600, .level = 9, .comment = "a sample for tests", .time = BOOT,
	};
	struct trawl_source s = {
		.name = "coded", .spec = "", .kind = "test", .clock = TRAWL_CLOCK_MONO,
		.linktype = 252, .resolution = 1, .ncommon = ARRAY_SIZE(coded_common),
		.common = coded_common,
	};
	struct trawl_event_type t = {
		.id = 9, .name = "test:coded", .format = "", .size = CODED_SIZE,
		.nfields = ARRAY_SIZE(coded), .fields = coded,
	};
	struct trawl_writer *w = trawl_writer_new(fd, &o, err);
	uint64_t seed = 11, ts = SECOND;
	uint8_t record[256];
	int failed;

	if (!w)
		return -1;
	failed = trawl_writer_source(w, &s, err) < 0 || trawl_writer_event_type(w, &t, err);
	for (uint32_t i = 0; i < 1600 && !failed; i++) {
		size_t len = coded_record(record, &seed, ts, i);

		failed = trawl_append(w, &(struct trawl_record){0, 9, i % 2, ts, record, len},
				      err) != 0;
		ts += 1 + any_size(&seed, 16);
	}
	return sample_finish(w, failed, err);
}

/* ---- times -------------------------------------------------------------------------------- */

static const struct trawl_field tick_fields[] = {
	{ "n", "", "", TRAWL_SEQ, TRAWL_FIXED, 0, 0, 8, 1 },
};

/* A source of each clock with one event type. */
static int add_clocks(struct trawl_writer *w, const uint8_t *clocks, size_t n,
		      struct trawl_error *err)
{
	for (size_t i = 0; i < n; i++) {
		struct trawl_source s = {
			.name = "clock", .spec = "", .kind = "test", .clock = clocks[i],
			.linktype = 252, .resolution = 1,
		};
		struct trawl_event_type t = {
			.source = (uint16_t)i, .id = 1, .name = "test:tick", .format = "",
			.size = 8, .nfields = 1, .fields = tick_fields,
		};

		if (trawl_writer_source(w, &s, err) < 0 || trawl_writer_event_type(w, &t, err))
			return -1;
	}
	return 0;
}

static const struct trawl_writer_options few = {
	.chunk_events = 8, .comment = "a sample for tests", .time = BOOT,
};

static int tick(struct trawl_writer *w, uint16_t source, uint64_t ts, uint64_t n,
		struct trawl_error *err)
{
	uint8_t r[8];

	put64(r, n);
	return trawl_append(w, &(struct trawl_record){source, 1, 0, ts, r, 8}, err) ? -1 : 0;
}

/* The values of all clocks at a time of CLOCK_MONOTONIC, in the order of `all`. */
static const uint8_t all[] = {
	TRAWL_CLOCK_MONO, TRAWL_CLOCK_REAL, TRAWL_CLOCK_BOOT, TRAWL_CLOCK_MONO_RAW, TRAWL_CLOCK_TAI,
	TRAWL_CLOCK_TSC,
};

static void show(uint64_t mono, uint64_t set, uint64_t counter, uint64_t clocks[6])
{
	clocks[0] = mono;
	clocks[1] = BOOT + mono + set;
	clocks[2] = mono + 5ull * SECOND;
	clocks[3] = mono - mono / 20000;
	clocks[4] = clocks[1] + 37ull * SECOND;
	clocks[5] = counter;
}

static struct trawl_sync sync_of(const uint64_t c[6], uint64_t bound, uint32_t why)
{
	return (struct trawl_sync){
		.mono = c[0], .real = c[1], .boot = c[2], .mono_raw = c[3], .tai = c[4],
		.tsc = c[5], .bound = bound, .why = why,
		.horizon = why == TRAWL_SYNC_START ? 0 : c[0] - SECOND / 5,
	};
}

int sample_single(int fd, struct trawl_error *err)
{
	struct trawl_writer *w = trawl_writer_new(fd, &few, err);
	struct trawl_sync sync;
	uint64_t c[6];
	int failed;

	if (!w)
		return -1;
	show(SECOND, 0, 3ull * SECOND, c);
	sync = sync_of(c, 340, TRAWL_SYNC_START);
	failed = add_clocks(w, all, ARRAY_SIZE(all), err) || trawl_writer_sync(w, &sync, err);
	for (uint64_t i = 0; i < 20 && !failed; i++) {
		show(SECOND + i * 1000003, 0, 3 * (SECOND + i * 1000003), c);
		for (uint16_t k = 0; k < ARRAY_SIZE(all) && !failed; k++)
			failed = tick(w, k, c[k], i, err);
	}
	return sample_finish(w, failed, err);
}

/*
 * Different bounds, a time stamp counter that was reset, a time of day that was set back, time
 * stamps that decrease within a stream, and some from before the first sync block.
 */
int sample_moved(int fd, struct trawl_error *err)
{
	struct trawl_writer *w = trawl_writer_new(fd, &few, err);
	uint64_t c[6], set = 0, counter = 3ull * SECOND;
	int failed;

	if (!w)
		return -1;
	failed = add_clocks(w, all, ARRAY_SIZE(all), err);
	for (uint64_t i = 0; i < 60 && !failed; i++) {
		uint64_t mono = SECOND + i * (SECOND / 10);

		if (i == 20)
			counter = 1000; /* after a suspend */
		if (i == 40)
			set -= 7ull * SECOND;
		show(mono, set, counter, c);
		if (i % 10 == 0) {
			struct trawl_sync sync = sync_of(c, 100 + 77 * (i % 4) + i, i ?
							 TRAWL_SYNC_TICK : TRAWL_SYNC_START);

			failed = trawl_writer_sync(w, &sync, err);
		}
		for (uint16_t k = 0; k < ARRAY_SIZE(all) && !failed; k++) {
			bool goes_back = all[k] != TRAWL_CLOCK_MONO && all[k] != TRAWL_CLOCK_TSC;
			uint64_t back = goes_back && i % 7 == 3 ? 150000000 : 0; /* over a tick */

			failed = tick(w, k, c[k] - back, i, err);
		}
		counter += 3ull * (SECOND / 10) + i;
	}
	return sample_finish(w, failed, err);
}

/* ---- times in ticks ------------------------------------------------------------------------- */

static const struct trawl_field switched[] = {
	{ "next_pid", "int", "", TRAWL_PID, TRAWL_FIXED, 0, 4, 4, 1 },
};
static const struct trawl_field ran[] = {
	{ "runtime", "u64", "", TRAWL_UINT, TRAWL_FIXED, 0, 4, 8, 1 },
};

/* A piece of metadata for each task; a section of version 5 has them in groups. */
static int name_tasks(struct trawl_writer *w, struct trawl_error *err)
{
	char name[32], text[64];
	int failed = 0;

	for (unsigned int pid = 100; pid < 120 && !failed; pid++) {
		struct trawl_meta m = { .name = name, .type = "application/json", .time = SECOND,
					.data = text };

		sprintf(name, "task/%u", pid);
		m.len = (size_t)sprintf(text, "{\"tid\":%u,\"pid\":%u,\"comm\":\"worker\"}", pid, pid);
		failed = trawl_writer_meta(w, &m, err);
	}
	return failed;
}

/*
 * Two processors with a clock of 10.0187 ns a tick that is slightly fast, and tasks whose run time
 * is the elapsed time plus a few ns: version 4 of the payload.
 */
int sample_ticks(int fd, struct trawl_error *err)
{
	static const struct trawl_writer_options o = {
		.level = 20, .comment = "a sample for tests", .time = BOOT,
	};
	struct trawl_source s = {
		.name = "tasks", .spec = "", .kind = "test", .clock = TRAWL_CLOCK_MONO,
		.linktype = 252, .resolution = 1, .ncommon = ARRAY_SIZE(coded_common),
		.common = coded_common,
	};
	struct trawl_event_type types[] = {
		{ .id = 1, .name = "test:switch", .format = "", .size = 8, .nfields = 1,
		  .fields = switched },
		{ .id = 2, .name = "test:ran", .format = "", .size = 12, .nfields = 1,
		  .fields = ran },
	};
	struct trawl_writer *w = trawl_writer_new(fd, &o, err);
	uint64_t seed = 5, tick[2] = { 100000000, 100000000 }, last[2] = { 0 };
	uint32_t pid[2] = { 100, 101 };
	uint8_t record[12];
	int failed;

	if (!w)
		return -1;
	failed = name_tasks(w, err) || trawl_writer_source(w, &s, err) < 0 ||
		 trawl_writer_event_type(w, &types[0], err) ||
		 trawl_writer_event_type(w, &types[1], err);
	for (uint32_t i = 0; i < 6000 && !failed; i++) {
		uint32_t cpu = i % 2, next = 100 + (uint32_t)(sample_random(&seed) % 20);
		uint64_t ts;

		tick[cpu] += 20 + any_size(&seed, 16);
		ts = (uint64_t)((double)tick[cpu] * 10.0187 + i * 0.0008);
		put32(record, pid[cpu]);
		if (i % 4 < 2) {
			put64(record + 4, ts - last[cpu] + 3 + sample_random(&seed) % 16);
			last[cpu] = ts;
		} else {
			put32(record + 4, next);
			pid[cpu] = next;
		}
		failed = trawl_append(w, &(struct trawl_record){ 0, i % 4 < 2 ? 2 : 1, cpu, ts,
								record, i % 4 < 2 ? 12 : 8 },
				      err) != 0;
	}
	return sample_finish(w, failed, err);
}

/*
 * A chunk with more events than a predictor has slots, whose clock, that of the timeline, goes
 * back: version 3 of the payload.
 */
int sample_backward(int fd, struct trawl_error *err)
{
	const struct trawl_writer_options many = {
		.chunk_events = 8192, .comment = few.comment, .time = BOOT,
	};
	struct trawl_writer *w = trawl_writer_new(fd, &many, err);
	struct trawl_sync sync;
	uint64_t c[6], mono = SECOND;
	int failed;

	if (!w)
		return -1;
	show(mono, 0, 0, c);
	sync = sync_of(c, 120, TRAWL_SYNC_START);
	failed = add_clocks(w, all, 1, err) || trawl_writer_sync(w, &sync, err);
	for (uint64_t i = 0; i < 5000 && !failed; i++) {
		mono += 1000;
		if (i % 700 == 699)
			mono -= 3000000;
		failed = tick(w, 0, mono, i % 13 * 1000003 + i % 5, err);
	}
	return sample_finish(w, failed, err);
}

/* ---- sections of one timeline --------------------------------------------------------------- */

static int write_section(int fd, const char *timeline, struct trawl_error *err)
{
	const struct trawl_meta m = { .name = "timeline", .type = "text/plain", .time = SECOND,
				      .data = timeline, .len = strlen(timeline) };
	struct trawl_writer *w = trawl_writer_new(fd, &few, err);
	struct trawl_sync sync;
	uint64_t c[6];
	int failed;

	if (!w)
		return -1;
	failed = add_clocks(w, all, 3, err) || trawl_writer_meta(w, &m, err);
	for (uint64_t i = 0; i < 40 && !failed; i++) {
		show(SECOND + i * 1000000, 0, 0, c);
		sync = sync_of(c, 120 + i, i ? TRAWL_SYNC_TICK : TRAWL_SYNC_START);
		failed = i % 10 == 0 && trawl_writer_sync(w, &sync, err);
		for (uint16_t k = 0; k < 3 && !failed; k++)
			failed = tick(w, k, c[k], i, err);
	}
	return sample_finish(w, failed, err);
}

/*
 * Events of the first two sections often have equal times; the third has the same times and is on
 * its own timeline.
 */
int sample_timeline(int fd, struct trawl_error *err)
{
	static const char *const timelines[] = {
		"00000000600dcafe -2000000 250", "00000000600dcafe 0 0", "000000000badcafe 77 -",
	};
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(timelines) && !ret; i++)
		ret = write_section(dup(fd), timelines[i], err);
	close(fd);
	return ret;
}

/* ---- the file of the worked example in docs/format.md ---------------------------------------- */

int sample_example(int fd, struct trawl_error *err)
{
	static const struct trawl_field f[] = {
		{ "n", "int", "", TRAWL_INT, TRAWL_FIXED, 0, 0, 4, 1 },
		{ "who", "char[8]", "", TRAWL_TEXT, TRAWL_FIXED, 0, 4, 1, 8 },
	};
	static const char *const who[] = { "ada", "ada", "bob" };
	struct trawl_source s = {
		.name = "demo", .spec = "", .kind = "test", .clock = TRAWL_CLOCK_MONO,
		.linktype = 252, .resolution = 1,
	};
	struct trawl_event_type t = {
		.id = 1,
		.name = "demo:hello",
		.format = "",
		.size = 12,
		.nfields = ARRAY_SIZE(f),
		.fields = f,
	};
	struct trawl_writer *w = trawl_writer_new(fd, &few, err);
	struct trawl_sync sync;
	uint64_t c[6];
	int failed;

	if (!w)
		return -1;
	show(SECOND, 0, 0, c);
	sync = sync_of(c, 120, TRAWL_SYNC_START);
	failed = trawl_writer_source(w, &s, err) < 0 || trawl_writer_event_type(w, &t, err) ||
		 trawl_writer_sync(w, &sync, err);
	for (uint32_t i = 0; i < 3 && !failed; i++) {
		uint8_t r[12] = { 0 };

		put32(r, i * 100 - 1);
		memcpy(r + 4, who[i], strlen(who[i]));
		failed = trawl_append(w, &(struct trawl_record){0, 1, 0, SECOND + 1000 * i, r, 12},
				      err) != 0;
	}
	return sample_finish(w, failed, err);
}
