/* SPDX-License-Identifier: MIT */
/* Whose branches are in a CPU's branch trace store. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <unistd.h>

#include "capture/branch/switches.h"

static struct switches s;

static void begin(void)
{
	switches_init(&s, 2);
	switches_add(&s, 1);
}

static void end(void)
{
	switches_free(&s);
}

TestSuite(switches, .init = begin, .fini = end);

static void guard(pid_t tid, uint64_t time)
{
	switches_guard(&s, tid, open("/dev/null", O_RDONLY | O_CLOEXEC), time);
}

Test(switches, what_was_emptied_when_its_task_left_is_its_own)
{
	switches_fork(&s, 1, 2, 10);
	switches_out(&s, 0, 1);
	cr_assert_not(switches_mixed(&s, 0, 1, 20));
	cr_assert_not(switches_mixed(&s, 0, 1, 20));
	cr_assert_eq(switches_in(&s, 0, 2, 21), 0);
	cr_assert_not(switches_mixed(&s, 0, 2, 30));
}

Test(switches, between_clones_the_store_is_not_emptied)
{
	switches_fork(&s, 1, 2, 10);
	switches_out(&s, 0, 1);
	cr_assert_eq(switches_in(&s, 0, 2, 21), 1);
	cr_assert_not(switches_mixed(&s, 1, 1, 25), "the other CPU");
	cr_assert(switches_mixed(&s, 0, 2, 30));
	cr_assert(switches_mixed(&s, 0, 2, 30));
	cr_assert_not(switches_mixed(&s, 0, 2, 40));
}

Test(switches, a_third_clone_takes_both_over)
{
	switches_fork(&s, 1, 2, 10);
	switches_fork(&s, 2, 3, 11);
	switches_out(&s, 0, 2);
	cr_assert_eq(switches_in(&s, 0, 3, 21), 2);
	switches_out(&s, 0, 3);
	cr_assert_eq(switches_in(&s, 0, 1, 22), 3);
	switches_out(&s, 0, 1);
	cr_assert(switches_mixed(&s, 0, 1, 30), "the next task is no clone");
	cr_assert_not(switches_mixed(&s, 0, 1, 40));
}

Test(switches, a_task_that_comes_back_has_its_own)
{
	switches_fork(&s, 1, 2, 10);
	switches_out(&s, 0, 1);
	cr_assert_eq(switches_in(&s, 0, 1, 21), 0);
	cr_assert_not(switches_mixed(&s, 0, 1, 30));
}

Test(switches, children_of_a_task_with_a_guard_are_no_clones)
{
	guard(1, 5);
	switches_fork(&s, 1, 2, 10);
	switches_fork(&s, 1, 3, 11);
	switches_out(&s, 0, 1);
	cr_assert_eq(switches_in(&s, 0, 2, 21), 0);
	switches_out(&s, 0, 2);
	cr_assert_eq(switches_in(&s, 0, 3, 22), 0);
	cr_assert_not(switches_mixed(&s, 0, 3, 30));
}

Test(switches, those_of_a_child_are_until_it_has_one)
{
	guard(1, 5);
	switches_fork(&s, 1, 2, 10);
	switches_fork(&s, 2, 3, 11);
	guard(2, 30);
	switches_out(&s, 0, 2);
	cr_assert_eq(switches_in(&s, 0, 3, 21), 2, "before the guard");
	switches_out(&s, 0, 3);
	cr_assert_eq(switches_in(&s, 0, 2, 31), 0);
	switches_fork(&s, 2, 4, 32);
	switches_out(&s, 0, 2);
	cr_assert_eq(switches_in(&s, 0, 4, 33), 0);
}

Test(switches, the_interrupt_may_be_faster_than_the_record_of_the_switch)
{
	switches_fork(&s, 1, 2, 10);
	switches_out(&s, 0, 1);
	cr_assert(switches_mixed(&s, 0, 2, 20));
	cr_assert(switches_mixed(&s, 0, 2, 20));
	cr_assert_eq(switches_in(&s, 0, 2, 21), 1, "a mark for the task that left");
	cr_assert_not(switches_mixed(&s, 0, 2, 30));
}

Test(switches, after_a_mixed_batch_the_next_switch_mixes_again)
{
	switches_fork(&s, 1, 2, 10);
	switches_out(&s, 0, 1);
	cr_assert_eq(switches_in(&s, 0, 2, 21), 1);
	cr_assert(switches_mixed(&s, 0, 2, 30));
	switches_out(&s, 0, 2);
	cr_assert_eq(switches_in(&s, 0, 1, 40), 2);
	cr_assert(switches_mixed(&s, 0, 1, 50));
}

Test(switches, a_guard_may_come_before_the_record_of_the_fork)
{
	guard(2, 11);
	guard(9, 11); /* of a task whose parent is not known */
	cr_assert(switches_fork(&s, 1, 2, 10));
	cr_assert(switches_fork(&s, 2, 3, 12));
	cr_assert_not(switches_fork(&s, 8, 9, 10));
	switches_out(&s, 0, 2);
	cr_assert_eq(switches_in(&s, 0, 3, 21), 0);
	switches_out(&s, 0, 2);
	cr_assert_eq(switches_in(&s, 0, 9, 22), 2);
}

Test(switches, an_early_guard_is_of_one_task_only)
{
	guard(2, 6); /* the record of its fork was lost */
	switches_exit(&s, 2, 7);
	cr_assert_eq(s.nearly, 0);
	guard(2, 8); /* nor is its exit known */
	guard(2, 101);
	switches_fork(&s, 1, 2, 99);
	cr_assert_eq(s.nearly, 0);
	switches_fork(&s, 2, 3, 100);
	switches_out(&s, 0, 2);
	cr_assert_eq(switches_in(&s, 0, 3, 100), 2, "before its own guard");
}

Test(switches, guards_leave_descriptors_for_other_files)
{
	int low = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int high = fcntl(low, F_DUPFD_CLOEXEC, 100);

	cr_assert_gt(s.descriptors, low);
	s.descriptors = 100;
	switches_guard(&s, 1, high, 5);
	cr_assert_lt(fcntl(high, F_GETFD), 0, "it is closed");
	switches_fork(&s, 1, 2, 10);
	switches_out(&s, 0, 1);
	cr_assert_eq(switches_in(&s, 0, 2, 21), 1, "without a guard they may be clones");
	close(low);
}

Test(switches, an_unknown_task_may_be_a_clone)
{
	switches_fork(&s, 77, 78, 10);
	switches_out(&s, 0, 1);
	cr_assert_eq(switches_in(&s, 0, 78, 21), 1);
}

Test(switches, after_a_loss_the_first_batch_is_nobodys)
{
	switches_lost(&s, 0);
	cr_assert(switches_mixed(&s, 0, 1, 20));
	cr_assert_not(switches_mixed(&s, 1, 1, 20));
	cr_assert_not(switches_mixed(&s, 0, 1, 21));
}
