/* SPDX-License-Identifier: MIT */
/* Small sections: the same events from a file and from a pipe, and with damage. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "format/reader.h"
#include "format/makesmall.h"
#include "tests/format/sample.h"

struct counted {
	uint64_t events, records;
	bool complete;
	uint64_t damaged;
};

static bool count(const uint8_t *p, size_t n, bool pipe, struct counted *c)
{
	struct trawl_error err;
	struct trawl_verdict v;
	struct trawl_event ev;
	struct trawl_reader *r = reader_memory(p, n, pipe, &err);

	*c = (struct counted){0};
	if (!r)
		return false;
	while (trawl_next(r, &ev, &err) > 0) {
		c->events++;
		for (uint32_t i = 0; i < ev.len; i++)
			c->records = c->records * 31 + ((const uint8_t *)ev.record)[i];
	}
	trawl_verdict(r, &v);
	c->complete = v.complete;
	c->damaged = v.damaged;
	trawl_close(r);
	return true;
}

Test(small, the_same_events_from_every_sample_that_can_be_small)
{
	unsigned int made = 0;

	for (const struct sample *s = samples; s->name; s++) {
		struct counted want, got, pipe;
		struct buf out = {0};
		size_t n;
		uint8_t *p = sample_bytes(s->name, &n);

		cr_assert_not_null(p);
		if (small_build(&out, p, n)) {
			made++;
			cr_expect_lt(out.len, n, "%s is smaller", s->name);
			cr_assert(count(p, n, false, &want) &&
				  count(out.data, out.len, false, &got) &&
				  count(out.data, out.len, true, &pipe));
			cr_expect(got.complete && !got.damaged, "%s is whole", s->name);
			cr_expect_eq(want.events, got.events, "%s has its events", s->name);
			cr_expect_eq(want.records, got.records, "%s: the same records", s->name);
			cr_expect_eq(want.records, pipe.records, "%s: from a pipe, too", s->name);
		}
		buf_free(&out);
		free(p);
	}
	cr_expect_geq(made, 2);
}

/* Makes a file with pieces of metadata of `len` bytes each small. Returns how many can be read. */
static size_t pieces_read(size_t pieces, size_t len, bool *small)
{
	char name[24], text[1100];
	struct trawl_writer_options o = {.name = "made", .level = 1};
	struct trawl_error err;
	struct trawl_reader *r;
	struct trawl_writer *w;
	int fd = memfd_create("made", 0);
	size_t n;

	w = trawl_writer_new(dup(fd), &o, &err);
	cr_assert_not_null(w);
	memset(text, 'x', len);
	for (size_t i = 0; i < pieces; i++) {
		snprintf(name, sizeof(name), "p/%zu", i);
		cr_assert_eq(trawl_writer_meta(w, &(struct trawl_meta){.name = name,
			.type = "text/plain", .data = text, .len = len}, &err), 0);
	}
	cr_assert_eq(trawl_writer_close(w, &err), 0);
	*small = trawl_make_small(fd);
	r = trawl_open_fd(fd, "made", NULL, &err);
	n = r ? trawl_meta_count(r) : 0;
	trawl_close(r);
	close(fd);
	return n;
}

Test(small, what_is_made_small_can_be_read_at_the_limit_of_its_size)
{
	enum { PIECES = 1000 };
	unsigned int made = 0;
	bool small;

	for (size_t len = 900; len < 1050; len += 30) {
		cr_expect_eq(pieces_read(PIECES, len, &small), PIECES, "%zu", len);
		made += small;
	}
	cr_expect(made > 0 && made < 5, "%u", made);
}

Test(small, a_file_that_was_not_ended_or_is_two_or_is_small_stays_as_it_is)
{
	static const char *const names[] = {"killed", "two", "small", "smalls"};

	for (size_t i = 0; i < 4; i++) {
		struct buf out = {0};
		size_t n;
		uint8_t *p = sample_bytes(names[i], &n);

		cr_expect_not(small_build(&out, p, n), "%s", names[i]);
		buf_free(&out);
		free(p);
	}
}

#ifdef __SANITIZE_ADDRESS__ /* six times slower */
enum { FLIP_STEP = 15, CUT_STEP = 35 };
#else
enum { FLIP_STEP = 3, CUT_STEP = 7 };
#endif

Test(small, damage_and_cuts_are_told_and_cost_nothing_more)
{
	struct counted whole, c;
	size_t n;
	uint8_t *p = sample_bytes("smalls", &n);

	cr_assert(count(p, n, false, &whole));
	cr_expect(whole.complete);
	for (size_t at = 0; at < n; at += FLIP_STEP) {
		p[at] ^= 0x55;
		for (int pipe = 0; pipe < 2; pipe++)
			if (count(p, n, pipe, &c))
				cr_expect_leq(c.events, whole.events, "a byte at %zu", at);
		p[at] ^= 0x55;
	}
	for (size_t len = 1; len < n; len += CUT_STEP)
		if (count(p, len, false, &c))
			cr_expect(c.events < whole.events || !c.complete, "cut to %zu", len);
	free(p);
}

/* A write that stops in the middle, as on a full copy-on-write file system. */
Test(small, a_file_that_cannot_be_overwritten_stays_as_it_was)
{
	struct rlimit limit = {.rlim_cur = 100, .rlim_max = RLIM_INFINITY};
	char path[] = "/tmp/trawl-small-XXXXXX";
	struct buf out = {0};
	size_t n;
	uint8_t *p = sample_bytes("example", &n), *now = malloc(n + 1);
	int fd = mkstemp(path);

	cr_assert(fd >= 0 && now && small_build(&out, p, n));
	unlink(path);
	cr_assert_eq(write(fd, p, n), (ssize_t)n);
	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	cr_assert_not(trawl_make_small(fd));
	cr_assert_eq(pread(fd, now, n + 1, 0), (ssize_t)n, "its size is the same");
	cr_assert(!memcmp(now, p, n), "and its bytes are");
	close(fd);
	buf_free(&out);
	free(now);
	free(p);
}
