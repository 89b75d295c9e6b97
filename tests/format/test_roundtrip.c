/* SPDX-License-Identifier: MIT */
/* Events are read as written: from a file, from a pipe, in time order over all sources. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/bytes.h"
#include "format/trawl.h"

static const struct trawl_field common[] = {
	{ "pid", "int", "", TRAWL_PID, TRAWL_FIXED, 0, 4, 4, 1 },
};
static const struct trawl_field fields[] = {
	{ "a", "long", "", TRAWL_INT, TRAWL_FIXED, 0, 8, 8, 1 },
	{ "s", "char[]", "", TRAWL_TEXT, TRAWL_DATA_LOC, 0, 16, 1, 1 },
};

static void check(int ok, const struct trawl_error *err)
{
	cr_assert(ok >= 0, "%s", err->text);
}

static size_t make_record(uint8_t *p, uint32_t n)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "text %u", n % 7) + 1;

	memset(p, 0, 20);
	put32(p + 4, n % 5);
	put64(p + 8, n * 1000003u);
	put32(p + 16, (uint32_t)len << 16 | 20);
	memcpy(p + 20, text, (size_t)len);
	return 20 + (size_t)len;
}

static void write_file(int fd, uint32_t n)
{
	struct trawl_source src = { .name = "event", .spec = "event:a:b", .kind = "tracefs",
		.clock = TRAWL_CLOCK_MONO, .linktype = 252, .resolution = 1, .ncommon = 1,
		.common = common };
	struct trawl_event_type t = { .id = 7, .name = "a:b", .format = "fmt", .size = 20,
		.nfields = 2, .fields = fields };
	struct trawl_sync sync = { .mono = 900, .real = 1000000900, .bound = 10,
				   .why = TRAWL_SYNC_START };
	struct trawl_meta meta = { "machine", "application/json", 900, "{}", 2, 0 };
	struct trawl_error err;
	struct trawl_writer *w = trawl_writer_new(fd, NULL, &err);
	uint8_t rec[64];
	int id[2];

	cr_assert(w, "%s", err.text);
	for (int i = 0; i < 2; i++) {
		id[i] = trawl_writer_source(w, &src, &err);
		check(id[i], &err);
		t.source = (uint16_t)id[i];
		check(trawl_writer_event_type(w, &t, &err), &err);
	}
	check(trawl_writer_meta(w, &meta, &err), &err);
	check(trawl_writer_sync(w, &sync, &err), &err);
	for (uint32_t i = 0; i < n; i++) {
		size_t len = make_record(rec, i);

		check(trawl_append(w,
				   &(struct trawl_record){(uint16_t)id[i & 1], 7, i % 3, 1000 + i,
							  rec, len},
				   &err),
		      &err);
		if (i % 1000 == 999) {
			sync.mono = sync.horizon = 1000 + i;
			sync.real = sync.mono + 1000000000;
			check(trawl_writer_sync(w, &sync, &err), &err);
		}
	}
	check(trawl_writer_close(w, &err), &err);
}

static void read_back(struct trawl_reader *r, uint32_t n)
{
	struct trawl_verdict v;
	struct trawl_error err;
	struct trawl_event ev;
	uint8_t rec[64];
	int ret;

	for (uint32_t i = 0; i < n; i++) {
		size_t len = make_record(rec, i);

		ret = trawl_next(r, &ev, &err);
		cr_assert_eq(ret, 1, "event %u: %d", i, ret);
		cr_assert_eq(ev.ts, 1000 + i, "event %u has ts %lu", i, ev.ts);
		cr_assert_eq(ev.time, 1000001000 + i);
		cr_assert_eq(ev.cpu, i % 3);
		cr_assert_eq(ev.source->id, i & 1);
		cr_assert_eq(ev.len, len);
		cr_assert_arr_eq(ev.record, rec, len);
	}
	cr_assert_eq(trawl_next(r, &ev, &err), 0);
	trawl_verdict(r, &v);
	cr_assert(v.complete);
	cr_assert_eq(v.damaged, 0, "%s", v.text);
	cr_assert_eq(v.events, n);
	cr_assert_str_eq(v.text, "complete");
	cr_assert_eq(trawl_source_count(r), 2);
	cr_assert_eq(trawl_event_type_count(r), 2);
	cr_assert_str_eq(trawl_meta_find(r, "machine")->data, "{}");
}

Test(roundtrip, file)
{
	char path[] = "/tmp/trawl-test-XXXXXX";
	struct trawl_error err;
	struct trawl_reader *r;

	write_file(mkstemp(path), 5500);
	r = trawl_open(path, &err);
	unlink(path);
	cr_assert(r, "%s", err.text);
	read_back(r, 5500);
	trawl_close(r);
}

static void *write_pipe(void *fd)
{
	write_file(*(int *)fd, 5500);
	return NULL;
}

Test(roundtrip, pipe)
{
	struct trawl_error err;
	struct trawl_reader *r;
	pthread_t thread;
	int p[2];

	cr_assert_eq(pipe(p), 0);
	cr_assert_eq(pthread_create(&thread, NULL, write_pipe, &p[1]), 0);
	cr_assert_eq(dup2(p[0], STDIN_FILENO), STDIN_FILENO);
	r = trawl_open("-", &err);
	cr_assert(r, "%s", err.text);
	read_back(r, 5500);
	trawl_close(r);
	pthread_join(thread, NULL);
}
