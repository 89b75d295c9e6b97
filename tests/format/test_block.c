/* SPDX-License-Identifier: MIT */
/* Single blocks: built ones are read, and all others are refused. */
#include <criterion/criterion.h>
#include <xxhash.h>
#include <zstd.h>

#include "format/memory.h"
#include "format/block.h"
#include "tests/format/sample.h"

/* Stores the body of the block in b; returns false if anything about the block is wrong. */
static bool body_of(const struct buf *b, struct buf *tmp, struct view *body)
{
	struct block head;

	return block_head(b->data, b->len, &head) == BLOCK_OK && head.len == b->len &&
	       block_whole(b->data, &head) && block_body(b->data, &head, tmp, body);
}

static void round_trip(const uint8_t *p, size_t n)
{
	struct buf b = { 0 }, tmp = { 0 };
	struct view body;

	block_build(&b, BLOCK_META, 7, p, n);
	cr_assert_eq(b.len % 4, 0);
	cr_assert(body_of(&b, &tmp, &body), "%zu bytes", n);
	cr_assert_eq(view_left(&body), n);
	cr_assert(!memcmp(body.p, p, n));
	buf_free(&b);
	buf_free(&tmp);
}

Test(block, bodies_come_back)
{
	static const size_t sizes[] = { 0, 1, 3, 4, 59, 60, 61, 200, 4099, META_PART };
	uint8_t *p = malloc(META_PART);
	uint64_t seed = 1;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		memset(p, 'a', META_PART);
		round_trip(p, sizes[i]);
		for (size_t k = 0; k < sizes[i]; k++)
			p[k] = (uint8_t)sample_random(&seed);
		round_trip(p, sizes[i]);
	}
	free(p);
}

static const char
	json[] = "{\"event\":\"a:b\",\"kind\":\"usdt\",\"tracefs\":\"a_b\",\"provider\":\"a\"}";

/* The dictionary helps: this body has no repetitions of its own. */
Test(block, what_bodies_have_in_common_costs_little)
{
	struct buf b = { 0 };

	block_build(&b, BLOCK_META, 0, json, sizeof(json) - 1);
	cr_expect_lt(b.len - BLOCK_OVERHEAD, (sizeof(json) - 1) / 2, "%zu", b.len - BLOCK_OVERHEAD);
	buf_free(&b);
}

Test(block, any_flipped_byte_is_seen)
{
	struct buf b = { 0 }, tmp = { 0 };
	struct view body;

	block_build(&b, BLOCK_META, 7, json, sizeof(json) - 1);
	cr_assert(body_of(&b, &tmp, &body));
	/* Type and UUID make it a foreign block, which is not damage. */
	for (size_t i = 24; i < b.len; i++)
		for (int bit = 0; bit < 8; bit++) {
			b.data[i] ^= (uint8_t)(1 << bit);
			cr_assert(!body_of(&b, &tmp, &body), "byte %zu bit %d", i, bit);
			b.data[i] ^= (uint8_t)(1 << bit);
		}
	buf_free(&b);
	buf_free(&tmp);
}

Test(block, too_few_bytes_are_told_from_wrong_ones)
{
	struct chunk_head c = { .count = 1, .payload = 8 };
	uint8_t head[BLOCK_HEAD + CHUNK_HEAD + 8] = { 0 }, tail[8];
	struct buf b = { 0 };
	struct block found;

	block_build(&b, BLOCK_META, 0, "abc", 3);
	for (size_t n = 0; n < BLOCK_HEAD; n++)
		cr_assert_eq(block_head(b.data, n, &found), BLOCK_SHORT, "%zu", n);
	cr_assert_eq(block_head(b.data, BLOCK_HEAD, &found), BLOCK_OK);
	block_build_chunk(head, tail, 0, &c);
	for (size_t n = 12; n < BLOCK_HEAD + CHUNK_HEAD; n++)
		cr_assert_eq(block_head(head, n, &found), BLOCK_SHORT, "%zu", n);
	cr_assert_eq(block_head(head, BLOCK_HEAD + CHUNK_HEAD, &found), BLOCK_OK);
	buf_free(&b);
}

Test(block, versions)
{
	struct buf b = { 0 }, tmp = { 0 };
	struct block head;
	struct view body;

	for (uint8_t v = 1; v <= FORMAT_VERSION; v++) {
		b.len = 0;
		block_build_version(&b, v, BLOCK_META, 0, "abc", 3);
		cr_assert(body_of(&b, &tmp, &body), "version %d", v);
	}
	for (int v = 0; v < 256; v++) {
		if (v >= 1 && v <= FORMAT_VERSION)
			continue;
		b.len = 0;
		block_build_version(&b, (uint8_t)v, BLOCK_META, 0, "abc", 3);
		cr_assert_eq(block_head(b.data, b.len, &head), BLOCK_BAD, "version %d", v);
	}
	b.len = 0;
	block_build_version(&b, FORMAT_VERSION + 1, BLOCK_START, 0, "abc", 3);
	cr_assert_eq(block_head(b.data, b.len, &head), BLOCK_NEWER);
	buf_free(&b);
}

/* Otherwise its check would cover all of memory. */
Test(block, a_newer_start_block_has_no_more_padding_than_body)
{
	static const uint8_t zeros[16];
	struct buf b = { 0 };
	struct block head;

	for (size_t n = 0; n <= sizeof(zeros); n++)
		for (uint8_t pad = 4; pad < 16; pad++) {
			b.len = 0;
			block_build_version(&b, FORMAT_VERSION + 1, BLOCK_START, 0, zeros, n);
			b.data[27] = pad;
			put64(b.data + 32, 0);
			cr_assert_eq(block_head(b.data, b.len, &head), BLOCK_BAD,
				     "%zu bytes, padding %d", n, pad);
		}
	buf_free(&b);
}

/* Builds a block whose body claims to be a frame, with a correct check. */
static void frame(struct buf *b, uint8_t flags, const void *p, size_t n)
{
	b->len = 0;
	block_build_version(b, FORMAT_VERSION, BLOCK_META, 0, p, n);
	b->data[26] = flags;
	put64(b->data + 32, XXH64(p, n, XXH64(b->data, 32, 0)));
}

Test(block, frames_that_lie_are_refused)
{
	/* One segment whose size takes 4 bytes: 1 GiB, and 16 MiB + 1. */
	uint8_t huge[16] = { 0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0x40 };
	uint8_t large[16] = { 0x28, 0xb5, 0x2f, 0xfd, 0xa0, 1, 0, 0, 1 };
	uint8_t plain[256];
	struct buf b = { 0 }, tmp = { 0 };
	struct view body;
	size_t n = ZSTD_compress(plain, sizeof(plain), json, sizeof(json), 1);

	frame(&b, BLOCK_ZSTD, huge, sizeof(huge));
	cr_assert(!body_of(&b, &tmp, &body));
	frame(&b, BLOCK_ZSTD, large, sizeof(large));
	cr_assert(!body_of(&b, &tmp, &body));
	frame(&b, BLOCK_ZSTD, json, sizeof(json));
	cr_assert(!body_of(&b, &tmp, &body));
	frame(&b, BLOCK_ZSTD, plain, n - 1);
	cr_assert(!body_of(&b, &tmp, &body));
	/* As in version 1. */
	frame(&b, BLOCK_ZSTD, plain, n);
	cr_assert(body_of(&b, &tmp, &body));
	cr_assert_eq(view_left(&body), sizeof(json));
	buf_free(&b);
	buf_free(&tmp);
}

Test(block, lengths_of_nonsense_are_refused)
{
	static const uint32_t lengths[] = {
		0, 4, 40, 45, 46, BLOCK_MAX + 4, UINT32_MAX, UINT32_MAX - 3};
	struct buf b = { 0 };
	struct block head;

	block_build(&b, BLOCK_META, 0, "abc", 3);
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		put32(b.data + 4, lengths[i]);
		cr_assert_eq(block_head(b.data, b.len, &head), BLOCK_BAD, "%u", lengths[i]);
	}
	buf_free(&b);
}
