/* SPDX-License-Identifier: MIT */
/* Hand-made sub-buffers: every kind of event header, and wrong lengths. */
#include <criterion/criterion.h>
#include <string.h>

#include "capture/tracefs/ring.h"
#include "common/array.h"

static const struct ring_layout layout = { .commit_at = 8, .commit_size = 8, .data_at = 16,
					   .data_size = 496 };

struct page {
	uint8_t bytes[512];
	uint32_t used; /* of the data */
};

static void put32(struct page *p, uint32_t v)
{
	memcpy(p->bytes + 16 + p->used, &v, 4);
	p->used += 4;
}

static void header(struct page *p, uint32_t type, uint32_t delta)
{
	put32(p, delta << 5 | type);
}

static void data(struct page *p, uint32_t words, uint32_t value)
{
	while (words--)
		put32(p, value);
}

static void finish(struct page *p, uint64_t ts, uint64_t flags)
{
	uint64_t commit = p->used | flags;

	memcpy(p->bytes, &ts, 8);
	memcpy(p->bytes + 8, &commit, 8);
}

static int start(struct ring_page *walk, const struct page *p)
{
	static const struct ring_clock none;

	return ring_page_start(walk, &layout, p->bytes, sizeof(p->bytes), &none);
}

#define expect(walk, time, length, first)                                                          \
	do {                                                                                       \
		struct ring_event ev;                                                              \
		uint32_t word = 0;                                                                 \
		cr_assert_eq(ring_page_next(walk, &ev), 1);                                        \
		memcpy(&word, ev.data, ev.len >= 4 ? 4 : 0);                                       \
		cr_expect_eq(ev.ts, (time));                                                       \
		cr_expect_eq(ev.len, (length));                                                    \
		cr_expect_eq(word, (first));                                                       \
	} while (0)

#define expect_end(walk, how)                                                                      \
	do {                                                                                       \
		struct ring_event ev;                                                              \
		cr_expect_eq(ring_page_next(walk, &ev), (how));                                    \
	} while (0)

Test(ring, plain_events_add_up_their_deltas)
{
	struct page p = { 0 };
	struct ring_page walk;

	header(&p, 2, 5);
	data(&p, 2, 0x11);
	header(&p, 28, 0x7ffffff);
	data(&p, 28, 0x22);
	finish(&p, 1000, 0);
	cr_assert_eq(start(&walk, &p), 0);
	cr_expect_eq(walk.lost, 0);
	expect(&walk, 1005, 8, 0x11);
	expect(&walk, 1005 + 0x7ffffff, 112, 0x22);
	expect_end(&walk, 0);
}

Test(ring, a_long_event_has_its_length_in_a_word)
{
	struct page p = { 0 };
	struct ring_page walk;

	header(&p, 0, 1);
	put32(&p, 4 + 200);
	data(&p, 50, 7);
	header(&p, 1, 1);
	data(&p, 1, 8);
	finish(&p, 0, 0);
	cr_assert_eq(start(&walk, &p), 0);
	expect(&walk, 1, 200, 7);
	expect(&walk, 2, 4, 8);
	expect_end(&walk, 0);
}

Test(ring, time_extend_adds_the_upper_bits)
{
	struct page p = { 0 };
	struct ring_page walk;

	header(&p, 30, 3);
	put32(&p, 2);
	header(&p, 1, 4);
	data(&p, 1, 9);
	finish(&p, 100, 0);
	cr_assert_eq(start(&walk, &p), 0);
	expect(&walk, 100 + (2ull << 27) + 3 + 4, 4, 9);
	expect_end(&walk, 0);
}

Test(ring, absolute_time_replaces_it)
{
	struct page p = { 0 };
	struct ring_page walk;

	header(&p, 31, 0x123);
	put32(&p, 0x456);
	header(&p, 1, 0);
	data(&p, 1, 9);
	finish(&p, 100, 0);
	cr_assert_eq(start(&walk, &p), 0);
	expect(&walk, (0x456ull << 27) | 0x123, 4, 9);
}

Test(ring, absolute_time_keeps_the_upper_five_bits)
{
	uint64_t upper = 3ull << 59;
	struct page p = { 0 };
	struct ring_page walk;

	header(&p, 31, 0x124);
	put32(&p, 0x456);
	header(&p, 1, 0);
	data(&p, 1, 9);
	header(&p, 31, 1); /* the 59-bit time wrapped around */
	put32(&p, 0);
	header(&p, 1, 0);
	data(&p, 1, 9);
	finish(&p, upper | 5, 0);
	cr_assert_eq(start(&walk, &p), 0);
	expect(&walk, upper | (0x456ull << 27) | 0x124, 4, 9);
	expect(&walk, (4ull << 59) + 1, 4, 9);
}

Test(ring, a_discarded_event_keeps_its_delta)
{
	struct page p = { 0 };
	struct ring_page walk;

	header(&p, 29, 50);
	put32(&p, 4 + 8); /* the word itself and two further words */
	data(&p, 2, 0xffffffff);
	header(&p, 1, 1);
	data(&p, 1, 9);
	finish(&p, 100, 0);
	cr_assert_eq(start(&walk, &p), 0);
	expect(&walk, 151, 4, 9);
	expect_end(&walk, 0);
}

Test(ring, a_discarded_event_without_a_delta_has_a_one_that_does_not_count)
{
	struct page p = { 0 };
	struct ring_page walk;

	header(&p, 29, 1);
	put32(&p, 4 + 4);
	data(&p, 1, 0xffffffff);
	header(&p, 1, 7);
	data(&p, 1, 9);
	finish(&p, 100, 0);
	cr_assert_eq(start(&walk, &p), 0);
	expect(&walk, 107, 4, 9);
	expect_end(&walk, 0);
}

/* The kernel's reader does not count the 5000 ns of the discarded event. */
Test(ring, what_is_read_later_of_a_sub_buffer_goes_on_from_the_true_time)
{
	struct page front = { 0 }, rest = { 0 }, next = { 0 };
	struct ring_page walk, more;

	header(&front, 1, 1);
	data(&front, 1, 8);
	header(&front, 29, 5000);
	put32(&front, 4 + 4);
	data(&front, 1, 0xffffffff);
	header(&front, 1, 2);
	data(&front, 1, 9);
	finish(&front, 1000, 0);
	cr_assert_eq(start(&walk, &front), 0);
	expect(&walk, 1001, 4, 8);
	expect(&walk, 6003, 4, 9);
	expect_end(&walk, 0);

	header(&rest, 1, 10);
	data(&rest, 1, 10);
	header(&rest, 29, 300);
	put32(&rest, 4 + 4);
	data(&rest, 1, 0xffffffff);
	finish(&rest, 1003, 0);
	cr_assert_eq(ring_page_start(&more, &layout, rest.bytes, sizeof(rest.bytes), &walk.clock),
		     0);
	expect(&more, 6013, 4, 10);
	expect_end(&more, 0);

	/* The rest of the sub-buffer continues likewise; another sub-buffer has its own time. */
	finish(&rest, 1013, 0);
	cr_assert_eq(ring_page_start(&walk, &layout, rest.bytes, sizeof(rest.bytes), &more.clock),
		     0);
	expect(&walk, 6323, 4, 10);
	header(&next, 1, 0);
	data(&next, 1, 11);
	finish(&next, 6400, 0);
	cr_assert_eq(ring_page_start(&walk, &layout, next.bytes, sizeof(next.bytes), &more.clock),
		     0);
	expect(&walk, 6400, 4, 11);
}

Test(ring, padding_without_delta_ends_the_sub_buffer)
{
	struct page p = { 0 };
	struct ring_page walk;

	header(&p, 1, 1);
	data(&p, 1, 9);
	header(&p, 29, 0);
	data(&p, 20, 0xffffffff);
	finish(&p, 100, 0);
	cr_assert_eq(start(&walk, &p), 0);
	expect(&walk, 101, 4, 9);
	expect_end(&walk, 0);
}

Test(ring, lost_events_with_and_without_number)
{
	/* sign-extended */
	const uint64_t missed = 0xffffffff80000000, counted = 0xffffffffc0000000;
	uint64_t lost = 94840;
	struct page p = { 0 };
	struct ring_page walk;

	header(&p, 1, 1);
	data(&p, 1, 9);
	finish(&p, 100, missed);
	cr_assert_eq(start(&walk, &p), 0);
	cr_expect_eq(walk.lost, UINT64_MAX);
	expect(&walk, 101, 4, 9);
	expect_end(&walk, 0);

	memcpy(p.bytes + 16 + p.used, &lost, 8);
	finish(&p, 100, counted);
	cr_assert_eq(start(&walk, &p), 0);
	cr_expect_eq(walk.lost, 94840);
	expect(&walk, 101, 4, 9);
	expect_end(&walk, 0);
}

/* The count is as wide as the commit word of that kernel. */
Test(ring, more_lost_events_than_32_bits)
{
	static const struct ring_layout narrow = {
		.time_at = 0, .commit_at = 8, .commit_size = 4, .data_at = 12, .data_size = 500,
	};
	static const struct ring_clock none;
	uint64_t lost = 0x500000007;
	struct page p = { 0 };
	struct ring_page walk;

	data(&p, 1, 9);
	finish(&p, 100, 0xc0000000);
	memcpy(p.bytes + 16 + p.used, &lost, 8);
	cr_assert_eq(start(&walk, &p), 0);
	cr_expect_eq(walk.lost, lost);
	memcpy(p.bytes + 12 + p.used, &lost, 8);
	cr_assert_eq(ring_page_start(&walk, &narrow, p.bytes, sizeof(p.bytes), &none), 0);
	cr_expect_eq(walk.lost, 7, "the next word is no part of it");
}

Test(ring, a_number_of_lost_events_needs_room)
{
	struct page p = { 0 };
	struct ring_page walk;

	data(&p, 123, 0x20); /* 492 of 496 bytes; the number would need 8 */
	finish(&p, 0, 0xc0000000);
	cr_assert_eq(start(&walk, &p), 0);
	cr_expect_eq(walk.lost, UINT64_MAX);
}

Test(ring, lengths_that_lie_are_refused)
{
	struct { uint32_t type, length, words; } bad[] = {
		{ 0, 3, 4 },           /* shorter than its own word */
		{ 0, 0xffffffff, 4 },  /* longer than the sub-buffer */
		{ 0, 4 + 20, 4 },      /* one word longer than the rest */
		{ 29, 0xffffffff, 4 },
		{ 29, 2, 4 },
		{ 29, 4 + 20, 4 },
		{ 0, 0, 4 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct page p = { 0 };
		struct ring_page walk;

		header(&p, bad[i].type, 1);
		put32(&p, bad[i].length);
		data(&p, bad[i].words, 0);
		finish(&p, 0, 0);
		cr_assert_eq(start(&walk, &p), 0);
		expect_end(&walk, -1);
	}
}

Test(ring, headers_cut_off_by_the_end_are_refused)
{
	static const uint32_t types[] = { 0, 1, 28, 29, 30, 31 };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct page p = { 0 };
		struct ring_page walk;

		header(&p, types[i], 1);
		finish(&p, 0, 0);
		cr_assert_eq(start(&walk, &p), 0);
		expect_end(&walk, -1);
	}
}

Test(ring, more_data_than_sub_buffer_is_refused)
{
	struct page p = { 0 };
	struct ring_page walk;

	p.used = 497;
	finish(&p, 0, 0);
	cr_expect_eq(start(&walk, &p), -1);
	cr_expect_eq(ring_page_start(&walk, &layout, p.bytes, 15, &(struct ring_clock){ 0 }), -1);
	p.used = 0;
	finish(&p, 0, 0);
	cr_assert_eq(ring_page_start(&walk, &layout, p.bytes, 16, &(struct ring_clock){ 0 }), 0);
	expect_end(&walk, 0);
}

Test(ring, layout_of_this_kernel_and_of_a_32_bit_one)
{
	static const char wide[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				   "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				   "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				   "\tfield: char data;\toffset:16;\tsize:65520;\tsigned:0;\n";
	static const char narrow[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				     "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
				     "\tfield: char data;\toffset:12;\tsize:4084;\tsigned:0;\n";
	struct trawl_error err;
	struct ring_layout l;

	cr_assert_eq(ring_layout_parse(wide, &l, &err), 0, "%s", err.text);
	cr_expect(l.data_at == 16 && l.data_size == 65520 && l.commit_at == 8 &&
		  l.commit_size == 8);
	cr_assert_eq(ring_layout_parse(narrow, &l, &err), 0, "%s", err.text);
	cr_expect(l.data_at == 12 && l.data_size == 4084 && l.commit_size == 4);
	/* fields in another order: the data may begin where the time ends, but not before */
	cr_assert_eq(ring_layout_parse("\tfield: local_t commit;\toffset:0;\tsize:8;\n"
				       "\tfield: u64 timestamp;\toffset:8;\tsize:8;\n"
				       "\tfield: char data;\toffset:16;\tsize:4080;\n",
				       &l, &err),
		     0, "%s", err.text);
	cr_expect(l.time_at == 8 && l.data_at == 16);
	cr_expect_eq(ring_layout_parse("\tfield: local_t commit;\toffset:0;\tsize:8;\n"
				       "\tfield: u64 timestamp;\toffset:8;\tsize:8;\n"
				       "\tfield: char data;\toffset:15;\tsize:4080;\n",
				       &l, &err),
		     -1);
	cr_expect_eq(ring_layout_parse("nonsense", &l, &err), -1);
	cr_expect_eq(ring_layout_parse("\tfield: u64 timestamp;\toffset:0;\tsize:8;\n"
				       "\tfield: local_t commit;\toffset:8;\tsize:8;\n"
				       "\tfield: char data;\toffset:12;\tsize:4084;\n",
				       &l, &err),
		     -1);
}
