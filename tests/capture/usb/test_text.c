/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include "capture/usb/text.h"

#define S INT64_C(1000000000)

Test(usbtext, a_line_has_the_steady_clock)
{
	/* The machine is up for 100 s, and the wall clock is at second 1,000,000. */
	cr_assert_eq(usbtext_time(99500000, 100 * S, 999900 * S), 999999 * S + S / 2);
	cr_assert_eq(usbtext_time(100000000, 100 * S, 999900 * S), 1000000 * S);
}

Test(usbtext, which_begins_anew_every_4096_s)
{
	cr_assert_eq(usbtext_time(1000000, 4098 * S, 7 * S), 4104 * S);
	cr_assert_eq(usbtext_time(4095000000, 4098 * S, 7 * S), 4102 * S);
	cr_assert_eq(usbtext_time(4095000000, 3 * 4096 * S + 5, 0), (3 * 4096 - 1) * S);
}

Test(usbtext, the_wall_clock_may_be_behind)
{
	cr_assert_eq(usbtext_time(99500000, 100 * S, -40 * S), 59 * S + S / 2);
}
