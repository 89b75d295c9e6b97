/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <signal.h>

#include "capture/task/crash.h"

/* COMMAND is 100; 200 is its thread, 300 its child, 301 the child's thread. */
static void family(struct crash *c)
{
	crash_begin(c, 100, 1000);
	crash_on_task(c, 100, 200, true);
	crash_on_task(c, 200, 300, false);
	crash_on_task(c, 300, 301, true);
}

static void expect(const struct crash *c, int sig, uint64_t time, pid_t tid)
{
	struct crash_signal s = crash_of(c, sig);

	cr_expect_eq(s.time, time, "%lu", (unsigned long)s.time);
	cr_expect_eq(s.tid, tid, "%d", s.tid);
}

Test(crash, is_of_the_thread_that_the_signal_came_to)
{
	struct crash c;

	family(&c);
	crash_on_signal(&c, 300, SIGSEGV, 7);
	expect(&c, SIGSEGV, 0, 0);
	crash_on_signal(&c, 200, SIGSEGV, 8);
	crash_on_signal(&c, 301, SIGSEGV, 9);
	expect(&c, SIGSEGV, 8, 200);
	expect(&c, SIGABRT, 0, 0);
	crash_end(&c);
}

Test(crash, by_sigkill_is_of_no_thread_in_particular)
{
	struct crash c;

	family(&c);
	crash_on_signal(&c, 200, SIGKILL, 5);
	expect(&c, SIGKILL, 5, 100);
	crash_end(&c);
}

Test(crash, is_found_in_any_order_of_its_events)
{
	struct crash c;

	crash_begin(&c, 100, 1000);
	crash_on_signal(&c, 200, SIGBUS, 7); /* another CPU's events are drained later */
	crash_on_signal(&c, 100, SIGBUS, 6);
	expect(&c, SIGBUS, 6, 100);
	crash_on_task(&c, 100, 200, true);
	expect(&c, SIGBUS, 7, 200);
	crash_end(&c);
}

Test(crash, is_found_among_as_many_signals_of_others_as_are_kept)
{
	struct crash c;

	family(&c);
	crash_on_signal(&c, 200, SIGSEGV, 5);
	for (uint64_t i = 1; i < CRASH_KEPT; i++)
		crash_on_signal(&c, 300, SIGSEGV, 5 + i);
	expect(&c, SIGSEGV, 5, 200);
	crash_on_signal(&c, 300, SIGSEGV, 50);
	expect(&c, SIGSEGV, 0, 0); /* not known any more */
	crash_end(&c);
}

Test(crash, tells_the_next_task_of_a_tid_apart)
{
	struct crash c;

	family(&c);
	crash_on_task(&c, 300, 200, true); /* the thread has ended: now it is the child's */
	crash_on_signal(&c, 200, SIGSEGV, 8);
	expect(&c, SIGSEGV, 0, 0);
	crash_end(&c);
}

Test(crash, bears_numbers_that_are_none)
{
	struct crash c;

	family(&c);
	crash_on_task(&c, 100, 5000, true);
	crash_on_task(&c, -1, -1, true);
	crash_on_signal(&c, 5000, SIGSEGV, 1);
	crash_on_signal(&c, 100, 65, 1);
	crash_on_signal(&c, 100, -1, 1);
	expect(&c, SIGSEGV, 0, 0);
	expect(&c, 65, 0, 0);
	expect(&c, -1, 0, 0);
	expect(&c, 0, 0, 0);
	crash_end(&c);
}
