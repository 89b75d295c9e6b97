/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include <string.h>

#include "edit/redact.h"

static void hide(struct redact *x, enum secret_class class, char *p, size_t n)
{
	(void)x, (void)class;
	memset(p, '#', n);
}

static void becomes(const char *text, const char *want)
{
	char got[300];

	strcpy(got, text);
	redact_filter(NULL, got, hide);
	cr_expect_str_eq(got, want, "%s", got);
}

Test(filter, only_values_are_removed)
{
	becomes("prev_comm == \"my \\\"sh\" || next_pid > 5", "prev_comm == \"#######\" || next_pid > 5");
	becomes("comm ~ \"ba*\"&&(ret<0)", "comm ~ \"###\"&&(ret<0)");
	becomes("!(comm==bash) || flags & 0x10", "!(comm==####) || flags & 0x10");
	becomes("name.ustring != '/home/me' && n >= -22", "name.ustring != '########' && n >= -22");
	becomes("ip == 0xffffffff81000000 || cpu == 3", "ip == ################## || cpu == 3");
	becomes("ip == -131940395225088 || n == -1", "ip == ################ || n == -1");
	becomes("n == 99999999999999999999", "n == ####################");
	becomes("cpus & CPUS{1-3}", "cpus & #########");
}

Test(filter, what_is_no_filter)
{
	becomes("my password", "###########");
	becomes("a && secret == b", "################");
	becomes("secret", "######");
	becomes("a == \"secret", "a == \"######");
	becomes("a ==", "a ==");
	becomes("", "");
}
