/* SPDX-License-Identifier: MIT */
/* Finds the new branches of a stack by the number of branches taken since the preceding stack. */
#include <criterion/criterion.h>

#include "capture/branch/join.h"

/*
 * Makes a stack with the last n branches of a task up to number `end`; those of a loop are equal.
 */
static struct branch_stack stack(unsigned int end, size_t n, bool loop)
{
	struct branch_stack s = { .n = n };

	for (size_t i = 0; i < n; i++) {
		uint64_t at = loop ? 7 : end - n + i;

		s.entries[i] = (struct branch){ .from = 0x1000 + at, .to = 0x2000 + at };
	}
	return s;
}

Test(join, overlapping_stacks)
{
	struct branch_stack a = stack(32, 32, false), b = stack(56, 32, false);
	struct joining j;

	cr_assert(join_stacks(&a, &b, 24, &j));
	cr_assert_eq(j.fresh, 24);
	cr_assert_eq(j.lost, 0);
}

/* All stacks of a loop are equal: only the count shows how often it ran. */
Test(join, a_loop)
{
	struct branch_stack a = stack(32, 32, true), b = a;
	struct joining j;

	for (uint64_t taken = 0; taken < 40; taken++) {
		cr_assert(join_stacks(&a, &b, taken, &j));
		cr_assert_eq(j.fresh + j.lost, taken);
		cr_assert_eq(j.lost, taken > 32 ? taken - 32 : 0);
	}
}

/* The records were cleared in between, so the stack has fewer branches. */
Test(join, what_is_between_is_counted)
{
	struct branch_stack a = stack(32, 32, false), b = stack(50, 5, false);
	struct joining j;

	cr_assert(join_stacks(&a, &b, 18, &j));
	cr_assert_eq(j.fresh, 5);
	cr_assert_eq(j.lost, 13);
}

/*
 * A debug exception has turned LBR off after 3 of 40 branches: the stack begins with branches of
 * the one before, and the number of those in between is not what the count says.
 */
Test(join, records_that_were_off)
{
	struct branch_stack a = stack(32, 32, false), b = stack(35, 32, false);
	struct branch_stack c = stack(72, 32, false), d = stack(3, 3, false), none = { .n = 0 };

	cr_assert(join_may_overlap(&a, &b));
	cr_assert(join_may_overlap(&d, &d));
	cr_assert_not(join_may_overlap(&a, &c));
	cr_assert_not(join_may_overlap(&a, &none));
	cr_assert_not(join_may_overlap(&none, &c));
}

/* A count that is one too small or too large is detected if the branches differ. */
Test(join, a_wrong_count)
{
	struct branch_stack a = stack(32, 32, false), b = stack(56, 32, false);
	struct branch_stack c = stack(3, 3, false);
	struct joining j;

	cr_assert_not(join_stacks(&a, &b, 23, &j));
	cr_assert_not(join_stacks(&a, &b, 25, &j));
	/* The stacks have more in common than the first one contained. */
	cr_assert_not(join_stacks(&c, &b, 24, &j));
}

/* Older branches precede the first count. */
Test(join, the_first_stack)
{
	struct branch_stack b = stack(56, 32, false);
	struct joining j;

	cr_assert(join_stacks(NULL, &b, 24, &j));
	cr_assert_eq(j.fresh, 24);
	cr_assert(join_stacks(NULL, &b, 40, &j));
	cr_assert_eq(j.fresh, 32);
	cr_assert_eq(j.lost, 8);
}
