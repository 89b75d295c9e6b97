/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include "capture/kin.h"

Test(kin, knows_whom_it_was_told_of)
{
	struct kin k;

	cr_assert(kin_init(&k, 1000));
	kin_add(&k, 17);
	cr_expect(kin_has(&k, 17, 1));
	cr_expect(kin_has(&k, 17, UINT64_MAX));
	cr_expect_not(kin_has(&k, 18, 1));
	kin_free(&k);
}

Test(kin, a_task_is_one_until_it_ends)
{
	struct kin k;

	cr_assert(kin_init(&k, 1000));
	kin_add(&k, 17);
	kin_end(&k, 17, 50);
	cr_expect(kin_has(&k, 17, 50));
	cr_expect_not(kin_has(&k, 17, 51)); /* another one's TID by now */
	kin_end(&k, 17, 90);
	cr_expect_not(kin_has(&k, 17, 51));
	kin_end(&k, 18, 50); /* never one of them */
	cr_expect_not(kin_has(&k, 18, 40));
	kin_add(&k, 17);
	cr_expect(kin_has(&k, 17, 60)); /* a new child with that TID */
	kin_free(&k);
}

Test(kin, what_is_no_tid_is_nobody)
{
	static const pid_t none[] = { -1, 0, 1000, 2000000000 };
	struct kin k;

	cr_assert(kin_init(&k, 1000));
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		kin_add(&k, none[i]);
		kin_end(&k, none[i], 5);
		cr_expect_not(kin_has(&k, none[i], 1));
	}
	kin_free(&k);
}
