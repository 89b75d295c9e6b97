/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <errno.h>

#include "capture/sys/lockdown.h"

/* A caller prints strerror(errno) and this remedy in one line. */
Test(lockdown, errno_stays_that_of_the_refusal)
{
	errno = EACCES;
	lockdown_or("run as root");
	cr_assert_eq(errno, EACCES);
}
