/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "common/hashset.h"

Test(hashset, has_what_was_added)
{
	struct hashset set = { 0 };
	bool added;

	cr_expect_not(hashset_has(&set, 1), "an empty one has nothing");
	for (uint64_t i = 2; i < 5002; i++) {
		cr_assert(hashset_add(&set, i / 2 * 0x100000001b3, &added));
		cr_assert_eq(added, i % 2 == 0, "each once");
	}
	cr_expect_eq(set.n, 2500);
	for (uint64_t i = 1; i < 5001; i++)
		cr_assert_eq(hashset_has(&set, i * 0x100000001b3), i <= 2500);
	free(set.slots);
}
