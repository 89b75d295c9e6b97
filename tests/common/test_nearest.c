/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "common/nearest.h"

static const char *hint(const char *wanted, const char *const *names, char *buf, size_t size)
{
	struct nearest n = { .wanted = wanted };

	for (size_t i = 0; names[i]; i++)
		nearest_offer(&n, names[i]);
	nearest_hint(&n, buf, size);
	nearest_free(&n);
	return buf;
}

Test(nearest, the_closest_first_and_three_at_most)
{
	static const char *const names[] = {"sched_wakeup",
					    "sched_switch",
					    "sched_swicth",
					    "sys_enter",
					    "sched_switch2",
					    "sched_switched",
					    NULL};
	char buf[200];

	cr_expect_str_eq(hint("sched_swich", names, buf, sizeof(buf)),
			 "; did you mean sched_switch, sched_swicth or sched_switch2?");
}

Test(nearest, nothing_close_gives_no_hint)
{
	static const char *const names[] = { "alpha", "beta", NULL };
	char buf[200];

	cr_expect_str_eq(hint("zzzzzz", names, buf, sizeof(buf)), "");
	cr_expect_str_eq(hint("", names, buf, sizeof(buf)), "");
}

Test(nearest, swaps_case_and_parts)
{
	static const char *const names[] = { "malloc", "usdt", "memory_malloc_retry", NULL };
	char buf[200];

	cr_expect_str_eq(hint("usd", names, buf, sizeof(buf)), "; did you mean usdt?");
	cr_expect_str_eq(hint("ustd", names, buf, sizeof(buf)), "; did you mean usdt?");
	cr_expect_not_null(strstr(hint("MALLOC", names, buf, sizeof(buf)), "mean malloc"));
	cr_expect_not_null(strstr(hint("malloc_retry", names, buf, sizeof(buf)),
				  "memory_malloc_retry"));
}

Test(nearest, a_small_buffer_is_enough)
{
	static const char *const names[] = { "abcdefgh", "abcdefgi", "abcdefgj", NULL };
	char buf[20];

	hint("abcdefg", names, buf, sizeof(buf));
	cr_expect_lt(strlen(buf), sizeof(buf));
}
