/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include "capture/output/first.h"
#include "tests/capture/output/got.h"

static int add(struct first *f, uint16_t source, uint64_t mono, char letter)
{
	struct trawl_record r = {.source = source, .data = &letter, .len = 1};
	struct trawl_error err;

	return first_add(f, &r, mono, &err);
}

Test(first, gives_the_first_in_time_and_then_no_more)
{
	struct got got = { .most = sizeof(got.text) - 1 };
	struct first f = { .left = 3 };
	struct trawl_error err;

	cr_expect_eq(add(&f, 1, 30, 'd'), 0);
	cr_expect_eq(add(&f, 2, 10, 'a'), 0);
	cr_expect_eq(add(&f, 2, 40, 'e'), 0);
	cr_expect_eq(first_settle(&f, 20, emit, &got, &err), 0, "b may yet come");
	cr_expect_eq(add(&f, 3, 25, 'c'), 0);
	cr_expect_eq(add(&f, 4, 22, 'b'), 0);
	cr_expect_eq(first_settle(&f, 30, emit, &got, &err), 1, "that was the third");
	cr_expect_str_eq(got.text, "abc");
	cr_expect_eq(first_dropped(&f, 1), 1);
	cr_expect_eq(first_dropped(&f, 2), 1);
	cr_expect_eq(first_dropped(&f, 3) + first_dropped(&f, 4), 0);
	cr_expect_eq(add(&f, 1, 50, 'x'), 1, "none is wanted any more");
	cr_expect_eq(f.pending.n, 0);
	pending_free(&f.pending);
}

Test(first, keeps_no_more_than_can_be_wanted)
{
	struct got got = { .most = sizeof(got.text) - 1 };
	struct first f = { .left = 2 };
	struct trawl_error err;
	size_t most = 0;

	for (uint64_t i = 0; i < 100000; i++) {
		cr_assert_eq(add(&f, 1, 1000 + i, i < 1 ? 'b' : 'x'), 0);
		if (f.pending.n > most)
			most = f.pending.n;
	}
	cr_expect_leq(most, 5000);
	cr_expect_eq(add(&f, 2, 999, 'a'), 0);
	cr_expect_eq(first_settle(&f, UINT64_MAX, emit, &got, &err), 1);
	cr_expect_str_eq(got.text, "ab");
	cr_expect_eq(first_dropped(&f, 1), 99999);
	pending_free(&f.pending);
}

Test(first, a_failure_is_handed_on)
{
	struct got got = { .most = 1 };
	struct first f = { .left = 5 };
	struct trawl_error err;

	add(&f, 1, 1, 'a');
	add(&f, 1, 2, 'b');
	cr_expect_eq(first_settle(&f, UINT64_MAX, emit, &got, &err), -1);
	cr_expect_str_eq(err.text, "full");
	pending_free(&f.pending);
}
