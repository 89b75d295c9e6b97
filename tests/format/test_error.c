/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "format/trawl.h"

Test(error, carries_status_and_text)
{
	struct trawl_error err;

	cr_assert_eq(trawl_fail(&err, TRAWL_CANNOT, "%s: no such bus", "usb9"), -1);
	cr_assert_eq(err.status, TRAWL_CANNOT);
	cr_assert_str_eq(err.text, "usb9: no such bus");
}

Test(error, long_text_is_cut_not_overrun)
{
	struct trawl_error err;
	char big[4096];

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	trawl_fail(&err, TRAWL_USAGE, "%s", big);
	cr_assert_eq(strlen(err.text), sizeof(err.text) - 1);
}

Test(error, what_a_terminal_obeys_is_no_part_of_a_message)
{
	struct trawl_error err;

	trawl_fail(&err, TRAWL_OK, "%s", "a\x1b[2J\x7f\tb\nc\n  ^ d\r");
	cr_assert_str_eq(err.text, "a?[2J?\tb?c\n  ^ d?");
	trawl_fail(&err, TRAWL_OK, "%s", "\xc2\x9b" "2J\u00e9 \u2028x\u202ey\u2066z\u202f\u2070");
	cr_assert_str_eq(err.text, "??2J\u00e9 ???x???y???z\u202f\u2070");
	trawl_fail(&err, TRAWL_OK, "%s", "\xe2\x80");
	cr_assert_str_eq(err.text, "\xe2\x80");
}

Test(error, every_loss_reason_has_a_name)
{
	for (uint32_t i = 1; i < TRAWL_LOSS_REASONS; i++)
		cr_assert_str_neq(trawl_loss_reason_name(i), "unknown");
	cr_assert_str_eq(trawl_loss_reason_name(TRAWL_LOSS_REASONS), "unknown");
}
