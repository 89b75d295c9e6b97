/* SPDX-License-Identifier: MIT */
/* Inputs, the walk over blocks, and the catalog. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <unistd.h>

#include "format/catalog.h"
#include "tests/format/sample.h"
#include "format/walk.h"

/* ---- the input ------------------------------------------------------------------------------- */

enum { BYTES = 300000 };

static uint8_t byte_at(uint64_t i)
{
	return (uint8_t)(i * 131 >> 3);
}

static void check_bytes(struct input *in, uint64_t at, size_t n, size_t there)
{
	size_t got;
	const uint8_t *p = input_at(in, at, n, &got);

	cr_assert_eq(got, there, "%zu of %zu bytes at %lu", got, n, at);
	for (size_t i = 0; i < got; i++)
		cr_assert_eq(p[i], byte_at(at + i));
}

static void *feed(void *arg)
{
	int fd = *(int *)arg;
	uint8_t some[777];

	for (uint64_t at = 0; at < BYTES;) {
		size_t n = BYTES - at < sizeof(some) ? BYTES - at : sizeof(some);

		for (size_t i = 0; i < n; i++)
			some[i] = byte_at(at + i);
		cr_assert_eq(write(fd, some, n), (ssize_t)n);
		at += n;
	}
	close(fd);
	return NULL;
}

/* Reads forwards, overlapping, and beyond the end: the same for all kinds of input. */
static void check_forwards(struct input *in)
{
	check_bytes(in, 0, 10, 10);
	check_bytes(in, 5, 100, 100);
	check_bytes(in, 100, 200000, 200000);
	check_bytes(in, 150000, 4, 4);
	check_bytes(in, BYTES - 10, 10, 10);
	check_bytes(in, BYTES - 5, 100, 5);
	check_bytes(in, BYTES, 1, 0);
	cr_assert_eq(in->error, 0);
	input_close(in);
}

Test(input, a_pipe_gives_all_in_whatever_pieces_it_comes)
{
	struct input in;
	pthread_t thread;
	int p[2];

	cr_assert_eq(pipe(p), 0);
	pthread_create(&thread, NULL, feed, &p[1]);
	input_fd(&in, p[0]);
	cr_assert(!in.seekable);
	check_forwards(&in);
	pthread_join(thread, NULL);
}

Test(input, a_file_and_memory_give_any_place)
{
	char path[] = "/tmp/trawl-input-XXXXXX";
	int fd = mkstemp(path), write_to = dup(fd);
	uint8_t *all = malloc(BYTES);
	struct input in;

	feed(&write_to);
	for (uint64_t i = 0; i < BYTES; i++)
		all[i] = byte_at(i);
	input_fd(&in, fd);
	cr_assert(in.seekable);
	cr_assert_eq(in.size, BYTES);
	check_bytes(&in, BYTES - 1, 1, 1);
	check_bytes(&in, 3, 9, 9);
	check_forwards(&in);
	input_memory(&in, all, BYTES, false);
	check_bytes(&in, BYTES - 1, 1, 1);
	check_forwards(&in);
	unlink(path);
	free(all);
}

/* ---- the walk -------------------------------------------------------------------------------- */

struct found {
	size_t n;
	uint64_t at[500];
	uint32_t len[500];
};

static struct found walk(const uint8_t *p, size_t n, struct damage *d)
{
	struct found f = { 0 };
	struct walked w;
	struct walker walker;
	struct input in;

	memset(d, 0, sizeof(*d));
	input_memory(&in, p, n, false);
	walk_init(&walker, &in, d, 0, UINT64_MAX);
	walker.payloads = true;
	while (walk_next(&walker, &w) == WALK_BLOCK) {
		cr_assert_lt(f.n, 500);
		f.at[f.n] = w.at;
		f.len[f.n++] = w.b.len;
	}
	return f;
}

Test(walk, every_byte_belongs_to_a_block)
{
	size_t n;
	uint8_t *p = sample_bytes("kinds", &n);
	struct damage d;
	struct found f = walk(p, n, &d);
	uint64_t at = 0;

	for (size_t i = 0; i < f.n; i++) {
		cr_assert_eq(f.at[i], at);
		at += f.len[i];
	}
	cr_assert_eq(at, n);
	cr_assert_eq(d.blocks, 0);
	cr_assert(!d.cut);
	free(p);
}

Test(walk, what_stands_behind_garbage_is_found)
{
	size_t n;
	uint8_t *p = sample_bytes("kinds", &n), *q = malloc(n + 101);
	struct damage d;
	struct found whole = walk(p, n, &d), f;

	for (size_t i = 1; i < whole.n; i++) {
		uint64_t at = whole.at[i];

		memcpy(q, p, at);
		memset(q + at, 0x5a, 101);
		memcpy(q + at + 101, p + at, n - at);
		f = walk(q, n + 101, &d);
		/* the search after damage cannot recognise pcapng's own blocks in front */
		if (i < 3)
			continue;
		cr_assert_geq(f.n + 1, whole.n, "garbage in front of block %zu of %zu: %zu found",
			      i, whole.n, f.n);
		cr_assert_gt(d.blocks, 0);
		cr_assert_eq(d.first, at);
	}
	free(p);
	free(q);
}

Test(walk, a_block_that_is_missing_is_one_damage)
{
	size_t n;
	uint8_t *p = sample_bytes("kinds", &n), *q = malloc(n);
	struct damage d;
	struct found whole = walk(p, n, &d), f;

	for (size_t i = 5; i + 1 < whole.n; i++) {
		uint64_t at = whole.at[i], after = at + whole.len[i];

		if (get32(p + at) != BLOCK_TYPE) /* is not counted */
			continue;
		memcpy(q, p, at);
		memcpy(q + at, p + after, n - after);
		f = walk(q, n - whole.len[i], &d);
		cr_assert_eq(f.n, whole.n - 1);
		cr_assert_eq(d.blocks, 1, "without block %zu: %lu", i, d.blocks);
	}
	free(p);
	free(q);
}

Test(walk, a_cut_is_where_the_last_block_begins)
{
	size_t n;
	uint8_t *p = sample_bytes("kinds", &n);
	struct damage d;
	struct found whole = walk(p, n, &d), f;

	for (size_t i = 3; i < whole.n; i++) {
		f = walk(p, whole.at[i] + whole.len[i] / 2, &d);
		cr_assert_eq(f.n, i);
		cr_assert(d.cut);
		cr_assert_eq(d.cut_at, whole.at[i]);
		f = walk(p, whole.at[i], &d);
		cr_assert_eq(f.n, i);
		cr_assert(!d.cut);
	}
	free(p);
}

/* ---- the catalog ----------------------------------------------------------------------------- */

static const struct trawl_source usdt = {
	.name = "usdt", .spec = "", .kind = "tracefs", .clock = TRAWL_CLOCK_MONO, .linktype = 252,
	.resolution = 1,
};

static bool add(struct catalog *c, struct section *s, enum block_kind kind, uint64_t at,
		struct buf *b)
{
	struct view v = { b->data, b->data + b->len, false };
	bool ok = catalog_add(c, s, kind, at, &v);

	buf_free(b);
	*b = (struct buf){ 0 };
	return ok;
}

static bool add_source(struct catalog *c, struct section *s, uint16_t id, uint64_t at)
{
	struct trawl_source source = usdt;
	struct buf b = { 0 };

	source.id = id;
	body_source(&b, &source, 0);
	return add(c, s, BLOCK_SOURCE, at, &b);
}

static bool add_type(struct catalog *c, struct section *s, uint32_t index, uint32_t id, uint64_t at)
{
	struct trawl_event_type t = { .id = id, .name = "a:b", .format = "", .size = 8 };
	struct buf b = { 0 };

	body_type(&b, &t, index);
	return add(c, s, BLOCK_EVENT_TYPE, at, &b);
}

Test(catalog, the_same_words_in_another_section_are_the_same_source)
{
	struct catalog c = { 0 };
	struct section *one = catalog_section(&c, 0), *two;

	cr_assert(add_source(&c, one, 0, 100));
	cr_assert(add_type(&c, one, 0, 5, 200));
	cr_assert(add_source(&c, one, 1, 300));
	cr_assert_eq(c.sources.n, 2, "two in one section are two");
	two = catalog_section(&c, 5000);
	cr_assert(add_source(&c, two, 0, 100));
	cr_assert_eq(c.sources.n, 2);
	cr_assert_eq(two->sources[0]->source, one->sources[0]->source);
	cr_assert(add_type(&c, two, 0, 5, 200));
	cr_assert_eq(c.types.n, 1);
	cr_assert_eq(two->sources[0]->types[0], one->sources[0]->types[0]);
	catalog_free(&c);
}

/* Ids of any size: the table has pages of 256. */
Test(catalog, types_with_the_same_words_are_one)
{
	static const uint32_t ids[] = {255, 0, 256, 511, 65535, 254, 65280};
	enum { N = sizeof(ids) / sizeof(ids[0]) };
	struct catalog c = {0};
	struct section *s[2];

	for (uint64_t k = 0; k < 2; k++) {
		s[k] = catalog_section(&c, 5000 * k);
		cr_assert(add_source(&c, s[k], 0, 100));
		for (uint32_t i = 0; i < N; i++)
			cr_assert(add_type(&c, s[k], i, ids[i], 200 + 100 * i));
	}
	cr_assert_eq(c.types.n, N);
	for (uint32_t i = 0; i < N; i++) {
		cr_assert_eq(s[0]->sources[0]->types[i]->id, ids[i]);
		cr_assert_eq(s[0]->sources[0]->types[i], s[1]->sources[0]->types[i]);
	}
	catalog_free(&c);
}

Test(catalog, types_need_their_source_and_a_place)
{
	struct catalog c = { 0 };
	struct section *s = catalog_section(&c, 0);

	cr_assert(!add_type(&c, s, 0, 5, 200), "no source");
	cr_assert(add_source(&c, s, 0, 100));
	cr_assert(!add_source(&c, s, 0, 200), "the number is taken");
	cr_assert(add_type(&c, s, 0, 5, 300));
	cr_assert(!add_type(&c, s, 0, 6, 400), "the place is taken");
	cr_assert(!add_type(&c, s, 60000, 7, 500), "there are not so many blocks in front");
	cr_assert(add_type(&c, s, 2, 7, 600), "one is lost");
	cr_assert_null(s->sources[0]->types[1]);
	catalog_free(&c);
}

static bool add_part(struct catalog *c, struct section *s, uint32_t from, uint32_t len, uint64_t at)
{
	struct meta_part p = {
		.meta = {.name = "m", .type = "text/plain", .time = 5, .data = "abcdef", .len = 6},
		.from = from,
		.len = len};
	struct buf b = { 0 };

	p.meta.data = (const char *)p.meta.data + from;
	body_meta(&b, &p);
	return add(c, s, BLOCK_META, at, &b);
}

Test(catalog, parts_of_metadata_are_put_together_in_order_only)
{
	struct catalog c = { 0 };
	struct section *s = catalog_section(&c, 0);

	cr_assert(!add_part(&c, s, 3, 3, 100), "the first part is missing");
	cr_assert(add_part(&c, s, 0, 3, 200));
	cr_assert(!add_part(&c, s, 4, 2, 300), "a byte is missing");
	cr_assert_eq(c.metas.n, 0);
	cr_assert(add_part(&c, s, 0, 3, 400));
	cr_assert(add_part(&c, s, 3, 3, 500));
	cr_assert_eq(c.metas.n, 1);
	cr_assert_str_eq(((struct trawl_meta *)c.metas.p[0])->data, "abcdef");
	catalog_free(&c);
}

static bool add_meta(struct catalog *c, struct section *s, const char *text, uint64_t at)
{
	size_t len = strlen(text);
	struct meta_part p = {
		.meta = {.name = "m", .type = "text/plain", .time = at, .data = text, .len = len},
		.len = (uint32_t)len};
	struct buf b = { 0 };

	body_meta(&b, &p);
	return add(c, s, BLOCK_META, at, &b);
}

Test(catalog, metadata_that_comes_again_is_kept_once)
{
	static const char *const told[] = {"one", "one", "two", "one"};
	struct catalog c = { 0 };
	const struct catalog_meta *const *m;

	for (uint32_t i = 0; i < 4; i++)
		cr_assert(add_meta(&c, catalog_section(&c, i * 5000), told[i], 100 + i));
	m = (const struct catalog_meta *const *)c.metas.p;
	cr_assert_eq(c.metas.n, 4);
	for (uint32_t i = 0; i < 4; i++) {
		cr_assert_str_eq(m[i]->meta.data, told[i]);
		cr_assert_eq(m[i]->meta.section, i);
		cr_assert_eq(m[i]->meta.time, 100 + i);
	}
	cr_assert_eq(m[1]->meta.data, m[0]->meta.data);
	cr_assert(!m[0]->shared && m[1]->shared && !m[2]->shared && !m[3]->shared);
	catalog_free(&c);
}

static void add_loss(struct catalog *c, struct section *s, uint64_t count, uint64_t at, bool copy)
{
	struct trawl_loss l = { .cpu = 1, .count = count, .reason = TRAWL_LOSS_OVERRUN };
	struct buf b = { 0 };
	struct view v;

	body_loss(&b, &l);
	v = (struct view){ b.data, b.data + b.len, false };
	cr_assert((copy ? catalog_add_copy : catalog_add)(c, s, BLOCK_LOSS, at, &v));
	buf_free(&b);
}

/*
 * A block and its copy in the index count once, also if the offsets after some place are shifted.
 */
Test(catalog, copies_count_once)
{
	struct catalog c = { 0 };
	struct section *s = catalog_section(&c, 0);

	s->remember = true;
	for (uint64_t i = 0; i < 1000; i++)
		add_loss(&c, s, 5, i * 80 + (i > 100) * 7, false);
	for (uint64_t i = 0; i < 1000; i++)
		add_loss(&c, s, 5, i * 80, true);
	cr_assert_eq(c.losses.n, 1000);
	add_loss(&c, s, 5, 1000 * 80, true); /* the block itself is lost */
	cr_assert_eq(c.losses.n, 1001);
	add_loss(&c, s, 5, 1000 * 80, true); /* its index block occurs twice */
	add_loss(&c, s, 5, 1000 * 80, true);
	cr_assert_eq(c.losses.n, 1001);
	cr_assert_eq(((struct trawl_loss *)c.losses.p[0])->source, UINT16_MAX,
		     "of no known source");
	catalog_settle(&c, s);
	catalog_free(&c);
}
