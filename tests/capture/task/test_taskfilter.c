/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <unistd.h>

#include "capture/task/taskfilter.h"
#include "common/array.h"

static bool told(const struct task_filter *k, pid_t tid, uint64_t until)
{
	return task_filter_has(k, tid, until) && !task_filter_has(k, tid, until + 1);
}

Test(task_filter, knows_whom_it_was_told_of)
{
	struct task_filter k;

	cr_assert(task_filter_init(&k, 1000));
	task_filter_begin(&k, 17, 40);
	cr_expect(task_filter_has(&k, 17, 40));
	cr_expect(task_filter_has(&k, 17, UINT64_MAX));
	cr_expect_not(task_filter_has(&k, 18, 40));
	task_filter_end(&k, 17, 50);
	cr_expect(told(&k, 17, 50)); /* the TID belongs to another task from then on */
	task_filter_free(&k);
}

/* An event of a TID: 'b' a start (or an execve() that takes it over), 'e' an end. */
struct happened {
	char what;
	uint64_t time;
};

/* Tests all orders in which the buffers of the CPUs may be read. */
static void in_any_order(struct happened *h, size_t n, size_t at, uint64_t until)
{
	struct task_filter k;

	for (size_t i = at; i < n; i++) {
		struct happened first = h[i];

		h[i] = h[at];
		h[at] = first;
		in_any_order(h, n, at + 1, until);
		h[at] = h[i];
		h[i] = first;
	}
	if (at < n)
		return;
	cr_assert(task_filter_init(&k, 1000));
	for (size_t i = 0; i < n; i++)
		(h[i].what == 'b' ? task_filter_begin : task_filter_end)(&k, 17, h[i].time);
	if (until == UINT64_MAX)
		cr_expect(task_filter_has(&k, 17, UINT64_MAX), "begins with %c at %d", h[0].what,
			  (int)h[0].time);
	else
		cr_expect(told(&k, 17, until), "begins with %c at %d", h[0].what, (int)h[0].time);
	task_filter_free(&k);
}

Test(task_filter, what_happened_may_be_told_in_any_order)
{
	struct happened one[] = { { 'b', 10 }, { 'e', 20 } };
	/* a thread's execve() */
	struct happened leader[] = { { 'b', 10 }, { 'e', 20 }, { 'b', 30 } };
	struct happened again[] = { { 'b', 10 }, { 'e', 20 }, { 'b', 30 }, { 'e', 40 } };
	struct happened thrice[] = {{'b', 10}, {'e', 20}, {'b', 30}, {'e', 40}, {'b', 50}};

	in_any_order(one, 2, 0, 20);
	in_any_order(leader, 3, 0, UINT64_MAX);
	in_any_order(again, 4, 0, 40);
	in_any_order(thrice, 5, 0, UINT64_MAX);
}

Test(task_filter, the_kernels_list)
{
	uint8_t listed[1000 / 8] = { [17 / 8] = 1 << 17 % 8 };
	struct task_filter k;

	cr_assert(task_filter_init(&k, 1000));
	task_filter_found(&k, 17);
	task_filter_begin(&k, 18, 10);
	task_filter_begin(&k, 19, 10);
	task_filter_end(&k, 19, 30);
	task_filter_found(&k, 19); /* not reaped yet */
	cr_expect(told(&k, 19, 30));
	task_filter_keep(&k, listed, 50); /* the end of task 18 was lost */
	cr_expect(task_filter_has(&k, 17, UINT64_MAX));
	cr_expect(told(&k, 18, 50));
	cr_expect(told(&k, 19, 30));
	cr_expect_not(task_filter_has(&k, 20, 1));
	task_filter_free(&k);
}

Test(task_filter, what_is_no_tid_is_nobody)
{
	static const pid_t none[] = { -1, 0, 1000, 2000000000 };
	struct task_filter k;

	cr_assert(task_filter_init(&k, 1000));
	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		task_filter_begin(&k, none[i], 5);
		task_filter_end(&k, none[i], 5);
		task_filter_found(&k, none[i]);
		cr_expect_not(task_filter_has(&k, none[i], 1));
	}
	task_filter_free(&k);
}

Test(task_filter, who_lives_on)
{
	pid_t one = 0, me = getpid();
	struct task_filter k;

	cr_assert(task_filter_init(&k, (uint32_t)me + 1));
	cr_expect_eq(task_filter_living(&k, &one), 0);
	task_filter_begin(&k, me, 10);
	task_filter_begin(&k, 1, 10);
	task_filter_end(&k, 1, 20);
	cr_expect_eq(task_filter_living(&k, &one), 1);
	cr_expect_eq(one, me);
	task_filter_free(&k);
}
