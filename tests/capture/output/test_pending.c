/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include "tests/capture/output/got.h"

static void add(struct pending *p, uint16_t source, uint32_t cpu, uint64_t mono, char letter)
{
	struct trawl_record r = {source, 0, cpu, 5, &letter, 1};
	struct trawl_error err;

	cr_assert_eq(pending_add(p, &r, mono, &err), 0);
}

static void expect(struct pending *p, uint64_t until, const char *letters)
{
	struct got got = { .most = sizeof(got.text) - 1 };
	struct trawl_error err;

	cr_expect_eq(pending_release(p, until, emit, &got, &err), 0);
	cr_expect_str_eq(got.text, letters);
}

Test(pending, leaves_in_the_order_of_time)
{
	struct pending p = { 0 };

	expect(&p, UINT64_MAX, "");
	add(&p, 1, 0, 10, 'a');
	add(&p, 1, 0, 30, 'd');
	add(&p, 1, 1, 20, 'c');
	add(&p, 2, 0, 15, 'b');
	add(&p, 2, 0, 30, 'e'); /* at the same time as d, which was added first */
	expect(&p, 9, "");
	expect(&p, 20, "abc");
	add(&p, 1, 1, 25, 'x');
	expect(&p, 29, "x");
	expect(&p, UINT64_MAX, "de");
	cr_expect_eq(p.n, 0);
	pending_free(&p);
}

Test(pending, one_source_and_cpu_keeps_its_order)
{
	struct pending p = { 0 };

	add(&p, 1, 3, 50, 'b');
	add(&p, 1, 3, 10, 'c'); /* its clock was set back */
	add(&p, 1, 4, 10, 'a');
	add(&p, 1, 3, 51, 'd');
	expect(&p, UINT64_MAX, "abcd");
	add(&p, 1, 3, 20, 'f'); /* also after events that were already emitted */
	add(&p, 2, 3, 20, 'e');
	expect(&p, UINT64_MAX, "ef");
	pending_free(&p);
}

Test(pending, keeps_the_first_and_counts_the_others)
{
	struct pending p = { 0 };

	for (char c = 0; c < 26; c++)
		add(&p, c % 2, 0, 100 - (uint64_t)(c & 1) * 50 + (uint64_t)c, (char)('a' + c));
	pending_keep(&p, 30);
	cr_expect_eq(p.dropped[0] + p.dropped[1], 0);
	pending_keep(&p, 15);
	cr_expect_eq(p.n, 15);
	cr_expect_eq(p.dropped[0], 11);
	cr_expect_eq(p.dropped[1], 0);
	expect(&p, UINT64_MAX, "bdfhjlnprtvxzac");
	pending_free(&p);
}

Test(pending, the_emitted_are_gone_when_emit_ends_it)
{
	struct got got = { .most = 2 };
	struct trawl_error err;
	struct pending p = { 0 };

	for (char c = 'e'; c >= 'a'; c--)
		add(&p, (uint16_t)c, 0, (uint64_t)c, c);
	cr_expect_eq(pending_release(&p, UINT64_MAX, emit, &got, &err), -1);
	cr_expect_str_eq(err.text, "full");
	cr_expect_str_eq(got.text, "ab");
	expect(&p, UINT64_MAX, "de");
	pending_free(&p);
}

Test(pending, the_record_is_a_copy_and_many_fit)
{
	struct pending p = { 0 };
	struct trawl_error err;
	uint64_t record;

	for (uint64_t i = 0; i < 10000; i++) {
		struct trawl_record r = {255, 0, (uint32_t)i, 0, &i, sizeof(i)};

		cr_assert_eq(pending_add(&p, &r, 10000 - i, &err), 0);
	}
	pending_keep(&p, 100);
	cr_expect_eq(p.dropped[255], 9900);
	for (uint64_t i = 0; i < 100; i++) {
		memcpy(&record, p.events[i].record.data, sizeof(record));
		cr_expect_eq(record, 9999 - i);
	}
	pending_free(&p);
}

Test(pending, a_source_that_no_file_has_is_refused)
{
	struct trawl_record r = {.source = PENDING_SOURCES, .data = ""};
	struct pending p = { 0 };
	struct trawl_error err;

	cr_expect_eq(pending_add(&p, &r, 0, &err), -1);
	cr_expect_eq(p.n, 0);
	pending_free(&p);
}
