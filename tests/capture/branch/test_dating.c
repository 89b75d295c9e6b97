/* SPDX-License-Identifier: MIT */
/* When branches happened that are collected later. */
#include <criterion/criterion.h>
#include <unistd.h>

#include "capture/branch/dating.h"
#include "capture/sys/clock.h"

static const uint64_t MS = 1000000;

Test(dating, branches_are_of_the_time_since_the_last_collection)
{
	struct dating d = { .begun = 100 };

	dating_collect(&d, 200, 0);
	cr_assert_eq(d.since, 100);
	dating_collect(&d, 300, 0);
	dating_collect(&d, 300, 0);
	cr_assert_eq(d.since, 200);
	dating_collect(&d, 400, 350);
	cr_assert_eq(d.since, 350, "the session began then");
}

Test(dating, or_since_the_task_came_to_its_cpu)
{
	struct dating d = { .begun = 100, .collected = 200, .came = 900 };

	dating_collect(&d, 1000, 0);
	cr_assert_eq(d.since, 900);
	d.came = 2000;
	dating_collect(&d, 1500, 0);
	cr_assert_eq(d.since, 1000, "it came later");
}

Test(dating, a_task_on_a_cpu_may_have_branches_since_the_last_collection)
{
	struct dating d = { .begun = 10 * MS, .came = 20 * MS };

	cr_assert_eq(dating_earliest(&d, getpid(), 90 * MS), 20 * MS);
	dating_collect(&d, 50 * MS, 0);
	cr_assert_eq(dating_earliest(&d, getpid(), 90 * MS), 50 * MS);
	cr_assert_eq(dating_earliest(&d, getpid(), 40 * MS), 40 * MS);
	cr_assert_eq(dating_earliest(&d, getpid(), 60000 * MS), 50 * MS, "it runs for a minute");
}

Test(dating, one_that_left_has_none_after_its_collection)
{
	struct dating d = { .begun = 10 * MS, .came = 20 * MS, .left = 50 * MS };

	cr_assert_eq(dating_earliest(&d, getpid(), 51 * MS), 20 * MS, "that may come yet");
	cr_assert_eq(dating_earliest(&d, getpid(), 90 * MS), 90 * MS);
	d.came = 80 * MS;
	cr_assert_eq(dating_earliest(&d, getpid(), 90 * MS), 80 * MS);
}

Test(dating, a_task_of_which_nothing_is_known_is_on_no_cpu)
{
	struct dating d = { 0 };

	cr_assert_eq(dating_earliest(&d, getpid(), 90 * MS), 90 * MS);
}

/* The record that it has left, or has ended, was lost. */
Test(dating, one_that_is_found_gone_has_left)
{
	struct dating d = { .begun = 10 * MS, .came = 20 * MS };
	uint64_t before = mono_now();

	cr_assert_eq(dating_earliest(&d, 0x7fffffff, 200 * MS), 20 * MS);
	cr_assert_eq(d.seen, 0, "not looked for yet");
	cr_assert_eq(dating_earliest(&d, 0x7fffffff, before), 20 * MS);
	cr_assert_geq(d.seen, before);
	cr_assert_eq(dating_earliest(&d, 0x7fffffff, d.seen + 19 * MS), 20 * MS, "too early");
	before = d.seen;
	cr_assert_eq(dating_earliest(&d, 0x7fffffff, before + 20 * MS), before);
	dating_collect(&d, before + 30 * MS, 0);
	cr_assert_eq(d.since, before);
}
