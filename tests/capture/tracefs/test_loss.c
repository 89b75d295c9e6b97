/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include "capture/tracefs/loss.h"

static const char text[] = "entries: 5\noverrun: 94840\ncommit overrun: 3\nbytes: 280\n"
			   "oldest event ts:  1259.000000\nnow ts:  1260.000000\n"
			   "dropped events: 2\nread events: 1005\n";

Test(loss, stats_by_whole_names)
{
	struct loss_stats s;

	cr_assert(loss_stats_parse(text, &s));
	cr_expect_eq(s.entries, 5);
	cr_expect_eq(s.overrun, 94840);
	cr_expect_eq(s.commit_overrun, 3);
	cr_expect_eq(s.dropped, 2);
	cr_expect_eq(s.read, 1005);
	cr_expect_not(loss_stats_parse("entries: 5\ncommit overrun: 3\n", &s));
	cr_expect_not(loss_stats_parse("", &s));
}

Test(loss, the_remainder_is_what_no_flag_told)
{
	struct trawl_loss out[3];
	struct loss_stats s = { .overrun = 100 };

	cr_expect_eq(loss_remainder(&s, 100, out), 0);
	cr_assert_eq(loss_remainder(&s, 90, out), 1);
	cr_expect(out[0].count == 10 && out[0].reason == TRAWL_LOSS_OVERRUN);
	s.dropped = 7;
	s.commit_overrun = 1;
	cr_assert_eq(loss_remainder(&s, 100, out), 2);
	cr_expect(out[0].count == 7 && out[0].reason == TRAWL_LOSS_DROPPED);
	cr_expect(out[1].count == 1 && out[1].reason == TRAWL_LOSS_COMMIT);
}
