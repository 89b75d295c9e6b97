/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/format/sample.h"
#include "common/array.h"
#include "tests/format/sample_codings.h"


uint64_t sample_random(uint64_t *state)
{
	uint64_t z = *state += 0x9E3779B97F4A7C15u;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

/* The machine booted on 18 Nov 2026, 11:06:40 UTC; every sample begins a second after that. */
enum { SECOND = 1000000000 };
#define BOOT 1795000000000000000u

static struct trawl_sync sync_at(uint64_t mono, uint32_t why)
{
	return (struct trawl_sync){
		.mono = mono, .real = BOOT + mono, .boot = mono, .mono_raw = mono,
		.tai = BOOT + mono + 37u * SECOND, .tsc = mono * 3, .bound = 120, .why = why,
		.horizon = why == TRAWL_SYNC_START ? 0 : mono - 1000,
	};
}

static const struct trawl_writer_options plain = {
	.chunk_events = 64, .comment = "a sample for tests", .time = BOOT,
};

static int add_meta(struct trawl_writer *w, const char *name, const char *text,
		    struct trawl_error *err)
{
	struct trawl_meta m = {
		.name = name, .type = *text == '{' ? "application/json" : "text/plain",
		.time = SECOND, .data = text, .len = strlen(text),
	};

	return trawl_writer_meta(w, &m, err);
}

/* ---- events of two types, several sources and CPUs ---------------------------------------- */

static const struct trawl_field common[] = {
	{ "flags", "unsigned char", "", TRAWL_HEX, TRAWL_FIXED, 0, 2, 1, 1 },
	{ "preempt_count", "unsigned char", "", TRAWL_UINT, TRAWL_FIXED, 0, 3, 1, 1 },
	{ "pid", "int", "", TRAWL_PID, TRAWL_FIXED, 0, 4, 4, 1 },
};
static const struct trawl_field call_fields[] = {
	{ "nr", "long", "", TRAWL_INT, TRAWL_FIXED, TRAWL_FIELD_KEY, 8, 8, 1 },
	{ "args", "unsigned long", "", TRAWL_HEX, TRAWL_FIXED, 0, 16, 8, 3 },
};
static const struct trawl_field text_fields[] = {
	{ "file", "__data_loc char[]", "", TRAWL_TEXT, TRAWL_DATA_LOC, 0, 8, 1, 1 },
	{ "state", "u8", "", TRAWL_ENUM, TRAWL_FIXED, 0, 12, 1, 1 },
	{ "why", "", "held in a register that is gone", TRAWL_NONE, TRAWL_FIXED, 0, 0, 0, 0 },
	{ "blob", "__rel_loc u8[]", "", TRAWL_BYTES, TRAWL_REL_LOC, 0, 16, 1, 1 },
};

static const struct trawl_event_type call_type = {
	.id = 23, .name = "raw_syscalls:sys_enter", .format = "name: sys_enter\nID: 23\n",
	.size = 40, .nfields = ARRAY_SIZE(call_fields), .fields = call_fields,
};
static const struct trawl_event_type text_type = {
	.id = 400, .name = "app:open", .format = "", .size = 20, .nfields = ARRAY_SIZE(text_fields),
	.fields = text_fields,
};

static size_t call_record(uint8_t *p, uint64_t *seed)
{
	memset(p, 0, 40);
	put32(p + 4, 1000 + sample_random(seed) % 4);
	put64(p + 8, sample_random(seed) % 5);
	put64(p + 16, 0x7ff000000000 + sample_random(seed) % 4096);
	put64(p + 24, sample_random(seed) % 100);
	put64(p + 32, 0);
	return 40;
}

static size_t text_record(uint8_t *p, uint64_t *seed)
{
	size_t len = 20, n;

	memset(p, 0, 20);
	p[2] = 1;
	put32(p + 4, 1000 + sample_random(seed) % 4);
	p[12] = sample_random(seed) % 3;
	n = (size_t)sprintf((char *)p + len, "/etc/file%" PRIu64, sample_random(seed) % 9) + 1;
	put32(p + 8, (uint32_t)(n << 16 | len));
	len += n;
	n = sample_random(seed) % 20;
	put32(p + 16, (uint32_t)(n << 16 | (len - 20)));
	for (size_t i = 0; i < n; i++)
		p[len++] = (uint8_t)sample_random(seed);
	return len;
}

static int add_source(struct trawl_writer *w, uint32_t n, struct trawl_error *err)
{
	static const char *const names[] = { "event", "usdt", "uprobe", "eprobe" };
	struct trawl_source s = {
		.name = names[n % 4], .spec = "event:raw_syscalls:sys_enter", .kind = "tracefs",
		.clock = TRAWL_CLOCK_MONO, .linktype = 252, .resolution = 1,
		.ncommon = ARRAY_SIZE(common), .common = common,
	};
	struct trawl_event_type t;
	int id = trawl_writer_source(w, &s, err);

	for (int i = 0; id >= 0 && i < 2; i++) {
		t = i ? text_type : call_type;
		t.source = (uint16_t)id;
		if (trawl_writer_event_type(w, &t, err))
			return -1;
	}
	return id;
}

int sample_events(int fd, const struct trawl_writer_options *o, const struct sample_size *size,
		  struct trawl_error *err)
{
	struct trawl_writer *w = trawl_writer_new(fd, o, err);
	struct trawl_sync sync = sync_at(SECOND, TRAWL_SYNC_START);
	uint64_t seed = 1, ts = SECOND;
	uint8_t record[128];
	int ret = -1;

	if (!w)
		return -1;
	for (uint32_t i = 0; i < size->sources; i++)
		if (add_source(w, i, err) < 0)
			goto out;
	if (add_meta(w, "machine", "{\"kernel\":\"6.1.0\"}", err) ||
	    trawl_writer_sync(w, &sync, err))
		goto out;
	for (uint32_t i = 0; i < size->events; i++) {
		uint64_t pick = sample_random(&seed);
		bool text = pick % 7 == 0;
		size_t len = text ? text_record(record, &seed) : call_record(record, &seed);

		ts += 1 + pick % 20000;
		if (trawl_append(w,
				 &(struct trawl_record){
					 (uint16_t)((pick >> 8) % size->sources), text ? 400 : 23,
					 (uint32_t)((pick >> 16) % size->cpus), ts, record, len},
				 err))
			goto out;
		if (size->every && i % size->every == size->every - 1) {
			sync = sync_at(ts, TRAWL_SYNC_TICK);
			if (trawl_writer_sync(w, &sync, err))
				goto out;
		}
	}
	sync = sync_at(ts + 5, TRAWL_SYNC_STOP);
	ret = trawl_writer_sync(w, &sync, err);
out:
	return sample_finish(w, ret, err);
}

/* ---- the samples -------------------------------------------------------------------------- */

static int write_empty(int fd, struct trawl_error *err)
{
	struct trawl_writer *w = trawl_writer_new(fd, &plain, err);

	return w ? trawl_writer_close(w, err) : -1;
}

static int write_events(int fd, struct trawl_error *err)
{
	return sample_events(fd, &plain, &(struct sample_size){ 300, 2, 3, 100 }, err);
}

static int write_unindexed(int fd, struct trawl_error *err)
{
	struct trawl_writer_options o = plain;

	o.compact = o.no_index = true;
	return sample_events(fd, &o, &(struct sample_size){ 300, 2, 3, 100 }, err);
}

/* Metadata in parts, losses for every reason, a type that is added late. */
static int write_meta(int fd, struct trawl_error *err)
{
	struct trawl_writer *w = trawl_writer_new(fd, &plain, err);
	struct trawl_sync sync = sync_at(SECOND, TRAWL_SYNC_START);
	struct trawl_event_type late = text_type;
	struct trawl_meta big = { "maps/42", "application/octet-stream", SECOND, NULL, 2500000, 0 };
	uint8_t record[128], *data = malloc(big.len);
	uint64_t seed = 7;
	int id = w && data ? add_source(w, 0, err) : -1, ret = -1;

	if (id < 0)
		goto out;
	for (size_t i = 0; i < big.len; i++)
		data[i] = (uint8_t)(i >> 12);
	big.data = data;
	if (add_meta(w, "machine", "{}", err) || trawl_writer_meta(w, &big, err) ||
	    add_meta(w, "machine", "{\"newer\":true}", err) || add_meta(w, "empty", "", err) ||
	    trawl_writer_sync(w, &sync, err))
		goto out;
	for (uint32_t i = 1; i <= TRAWL_LOSS_OVERRUN_MOST; i++) {
		struct trawl_loss l = { (uint16_t)id, i - 1, SECOND, SECOND + i, i * 10, i, 0 };

		if (trawl_writer_loss(w, &l, err))
			goto out;
	}
	late.id = 401;
	late.name = "app:late";
	late.source = (uint16_t)id;
	if (trawl_writer_event_type(w, &late, err) ||
	    trawl_append(w,
			 &(struct trawl_record){0, 401, 5, SECOND + 77, record,
						text_record(record, &seed)},
			 err))
		goto out;
	ret = 0;
out:
	free(data);
	return w ? sample_finish(w, ret, err) : -1;
}

/* Every kind and place of a field. */
static int write_kinds(int fd, struct trawl_error *err)
{
	static const struct trawl_field f[] = {
		{ "u8", "", "", TRAWL_UINT, TRAWL_FIXED, 0, 0, 1, 1 },
		{ "u16", "", "", TRAWL_UINT, TRAWL_FIXED, 0, 1, 2, 1 },
		{ "u32", "", "", TRAWL_UINT, TRAWL_FIXED, 0, 3, 4, 1 },
		{ "u64", "", "", TRAWL_UINT, TRAWL_FIXED, 0, 7, 8, 1 },
		{ "s8", "", "", TRAWL_INT, TRAWL_FIXED, 0, 15, 1, 1 },
		{ "s16s", "", "", TRAWL_INT, TRAWL_FIXED, 0, 16, 2, 3 },
		{ "x32", "", "", TRAWL_HEX, TRAWL_FIXED, TRAWL_FIELD_KEY, 22, 4, 1 },
		{ "addr", "", "", TRAWL_ADDR, TRAWL_FIXED, 0, 26, 8, 1 },
		{ "enum", "", "", TRAWL_ENUM, TRAWL_FIXED, TRAWL_FIELD_KEY, 34, 1, 1 },
		{ "pid", "", "", TRAWL_PID, TRAWL_FIXED, 0, 35, 4, 1 },
		{ "time", "", "", TRAWL_TIME, TRAWL_FIXED, 0, 39, 8, 1 },
		{ "seq", "", "", TRAWL_SEQ, TRAWL_FIXED, 0, 47, 4, 1 },
		{ "bool", "", "", TRAWL_BOOL, TRAWL_FIXED, 0, 51, 1, 1 },
		{ "char", "", "", TRAWL_CHAR, TRAWL_FIXED, 0, 52, 1, 1 },
		{ "f32", "", "", TRAWL_FLOAT, TRAWL_FIXED, 0, 53, 4, 1 },
		{ "f64", "", "", TRAWL_FLOAT, TRAWL_FIXED, 0, 57, 8, 1 },
		{ "comm", "", "", TRAWL_TEXT, TRAWL_FIXED, 0, 65, 1, 16 },
		{ "raw", "", "", TRAWL_BYTES, TRAWL_FIXED, 0, 81, 1, 6 },
		{ "tail", "", "", TRAWL_BYTES, TRAWL_TAIL, 0, 90, 1, 1 },
	};
	struct trawl_source s = {
		.name = "usb", .spec = "usb", .kind = "usbmon", .clock = TRAWL_CLOCK_MONO,
		.linktype = 220, .resolution = 1000,
	};
	struct trawl_event_type t = {
		.id = 1, .name = "usb:submit", .format = "", .size = 90,
		.nfields = ARRAY_SIZE(f), .fields = f,
	};
	struct trawl_writer *w = trawl_writer_new(fd, &plain, err);
	struct trawl_sync sync = sync_at(SECOND, TRAWL_SYNC_START);
	uint64_t seed = 3;
	uint8_t r[400];

	if (!w)
		return -1;
	if (trawl_writer_source(w, &s, err) < 0 || trawl_writer_event_type(w, &t, err) ||
	    trawl_writer_sync(w, &sync, err))
		goto fail;
	for (uint32_t i = 0; i < 90; i++) {
		size_t tail = i % 4 ? sample_random(&seed) % 200 : 0;

		for (size_t k = 0; k < 90 + tail; k++)
			r[k] = (uint8_t)(k >= 87 && k < 90 ? 0 : sample_random(&seed));
		put32(r + 22, i % 2);
		r[34] = (uint8_t)(i % 3);
		put64(r + 39, SECOND + i * 1000u);
		put32(r + 47, i);
		if (trawl_append(
			    w,
			    &(struct trawl_record){0, 1, i % 2, SECOND + i * 1000u, r, 90 + tail},
			    err))
			goto fail;
	}
	return sample_finish(w, 0, err);
fail:
	return sample_finish(w, -1, err);
}

/* Returns what a clock shows 50 ms after the sync block; off: offset of the time of day. */
static uint64_t clock_time(uint8_t clock, uint64_t mono, uint64_t off)
{
	return clock == TRAWL_CLOCK_REAL ? BOOT + mono + off + 10000 :
	       clock == TRAWL_CLOCK_TSC ? mono * 3 : mono;
}

/* A source with the time of day, which is set back by an hour and forward by a minute. */
static int write_clocks(int fd, struct trawl_error *err)
{
	static const struct trawl_field f[] = {
		{ "n", "", "", TRAWL_SEQ, TRAWL_FIXED, 0, 0, 8, 1 },
	};
	static const uint8_t clocks[] = {
		TRAWL_CLOCK_MONO, TRAWL_CLOCK_REAL, TRAWL_CLOCK_BOOT, TRAWL_CLOCK_TSC,
	};
	struct trawl_event_type t = {
		.id = 1, .name = "test:tick", .format = "", .size = 8, .nfields = 1, .fields = f,
	};
	struct trawl_writer *w = trawl_writer_new(fd, &plain, err);
	int64_t off = 0;
	uint8_t r[8];

	if (!w)
		return -1;
	for (uint32_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		struct trawl_source s = {
			.name = "clock", .spec = "", .kind = "test", .clock = clocks[i],
			.linktype = 252, .resolution = 1,
		};

		t.source = (uint16_t)i;
		if (trawl_writer_source(w, &s, err) < 0 || trawl_writer_event_type(w, &t, err))
			goto fail;
	}
	for (uint64_t i = 0; i < 60; i++) {
		uint64_t mono = SECOND + i * (SECOND / 10);
		uint32_t why = i % 10 ? 0 : i ? TRAWL_SYNC_TICK : TRAWL_SYNC_START;
		struct trawl_sync sync;

		if (i == 25 || i == 42)
			why = TRAWL_SYNC_STEP;
		if (i == 25)
			off = -3600ll * SECOND;
		if (i == 42)
			off = -3540ll * SECOND;
		sync = sync_at(mono, why);
		sync.real += (uint64_t)off + i * 20000; /* and it is slewed by 200 ppm */
		sync.tai = sync.real + 37u * SECOND;
		if (why && trawl_writer_sync(w, &sync, err))
			goto fail;
		put64(r, i);
		mono += SECOND / 20;
		for (uint32_t k = 0; k < ARRAY_SIZE(clocks); k++) {
			uint64_t ts = clock_time(clocks[k], mono, (uint64_t)off + i * 20000);

			if (trawl_append(w, &(struct trawl_record){(uint16_t)k, 1, 0, ts, r, 8},
					 err))
				goto fail;
		}
	}
	return sample_finish(w, 0, err);
fail:
	return sample_finish(w, -1, err);
}

/* As after kill -9: the index and the end are missing. */
static int write_killed(int fd, struct trawl_error *err)
{
	int copy = dup(fd);
	struct stat st;
	int ret = sample_events(fd, &plain, &(struct sample_size){ 200, 1, 2, 50 }, err);

	if (!ret && (fstat(copy, &st) || ftruncate(copy, st.st_size * 2 / 3)))
		ret = trawl_fail(err, TRAWL_CANNOT, "cannot be cut");
	close(copy);
	return ret;
}

/* Two captures, one after the other: cat a.trawl b.trawl. */
static int write_two(int fd, struct trawl_error *err)
{
	int copy = dup(fd);
	int ret = sample_events(fd, &plain, &(struct sample_size){ 70, 1, 2, 30 }, err);

	if (!ret)
		ret = sample_events(copy, &plain, &(struct sample_size){ 90, 3, 2, 0 }, err);
	else
		close(copy);
	return ret;
}

static int write_small(int fd, struct trawl_error *err)
{
	int copy = dup(fd), ret = write_events(fd, err);

	if (!ret && !trawl_make_small(copy))
		ret = trawl_fail(err, TRAWL_CANNOT, "the sample cannot be made small");
	close(copy);
	return ret;
}

/* A small section before and after an ordinary one. */
static int write_smalls(int fd, struct trawl_error *err)
{
	int copy = dup(fd), ret = write_small(fd, err);
	char p[65536];
	ssize_t n;

	if (ret)
		goto out;
	n = pread(copy, p, sizeof(p), 0);
	lseek(copy, 0, SEEK_END);
	ret = write_clocks(dup(copy), err);
	if (!ret && (lseek(copy, 0, SEEK_END) < 0 || write(copy, p, (size_t)n) != n))
		ret = trawl_fail(err, TRAWL_CANNOT, "the sample cannot be written");
out:
	close(copy);
	return ret;
}

const struct sample samples[] = {
	{ "empty", "a capture without a source", write_empty },
	{ "events", "two sources, three CPUs, texts and bytes", write_events },
	{ "unindexed", "the same without an index, metadata in groups", write_unindexed },
	{ "meta", "metadata in parts, losses, a late event type", write_meta },
	{ "kinds", "every kind of field, with tails", write_kinds },
	{ "clocks", "four clocks, one of them set twice", write_clocks },
	{ "killed", "a capture that was not ended", write_killed },
	{ "two", "two captures in one file", write_two },
	{ "small", "a small section", write_small },
	{ "smalls", "small sections around one that is none", write_smalls },
	{ "codings", "all ways to code a column, 300 classes, whole records", sample_codings },
	{ "single", "six clocks and one sync block", sample_single },
	{ "moved", "bounds that differ, clocks that were set, times that go back", sample_moved },
	{ "ticks", "two tables, times and numbers that follow from others", sample_ticks },
	{ "backward", "a chunk of 5,000 events, whose clock goes back", sample_backward },
	{ "timeline", "two sections that are one timeline, and one of another", sample_timeline },
	{ "version1", "blocks of version 1, without a dictionary", sample_version1 },
	{ "example", "the file that docs/format.md takes apart", sample_example },
	{ "marks", "batches of branches with each kind of mark", sample_marks },
	{ NULL, NULL, NULL },
};

uint8_t *sample_bytes(const char *name, size_t *len)
{
	int fd = memfd_create("sample", 0);
	struct trawl_error err = { .text = "no such sample" };
	struct stat st;
	uint8_t *p;

	for (const struct sample *s = samples; s->name; s++)
		if (!strcmp(s->name, name) && fd >= 0 && !s->write(dup(fd), &err) &&
		    !fstat(fd, &st) && (p = malloc((size_t)st.st_size + 1)) &&
		    pread(fd, p, (size_t)st.st_size, 0) == st.st_size) {
			*len = (size_t)st.st_size;
			close(fd);
			return p;
		}
	fprintf(stderr, "sample %s: %s\n", name, err.text);
	exit(99);
}
