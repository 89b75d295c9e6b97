/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "edit/knownprograms.h"

static void is_found(void *n, const char *name)
{
	++*(int *)n;
	cr_assert(known_program(name, strlen(name)), "%s: not found; the list is out of order", name);
}

Test(knownprograms, each_is_found)
{
	int n = 0;

	known_programs(is_found, &n);
	cr_assert_gt(n, 200);
}

Test(knownprograms, versions_and_cut_names)
{
	static const char *const known[] = { "python3.11", "gcc-12", "qemu-system-x86", "sh" };
	static const char *const others[] = { "", "s", "shx", "3.11", "python3.11x",
					      "qemu-system-x8", "systemd-timesy",
						"test1234", "date-1990-04-12", "ssh-10.1.2.3",
						"curl-555-1234", "php8.2.1" };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		cr_assert(known_program(known[i], strlen(known[i])), "%s", known[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		cr_assert(!known_program(others[i], strlen(others[i])), "%s", others[i]);
}
