/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/tracefs/owner.h"
#include "common/array.h"

Test(owner, we_live)
{
	char name[OWNER_NAME_MAX], start[32];

	owner_name(name, "usdt");
	snprintf(start, sizeof(start), "trawl_%d_", getpid());
	cr_expect_eq(strncmp(name, start, strlen(start)), 0, "%s", name);
	cr_expect(owner_is_name(name));
	cr_expect(owner_alive(name));
}

Test(owner, another_start_time_is_another_process)
{
	char name[OWNER_NAME_MAX];

	snprintf(name, sizeof(name), "trawl_%d_1_usdt", getpid());
	cr_expect(owner_is_name(name));
	cr_expect_not(owner_alive(name));
}

Test(owner, the_dead_are_dead)
{
	char name[OWNER_NAME_MAX] = "";
	int fds[2], status;
	pid_t pid;

	cr_assert_eq(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		owner_name(name, "event");
		_exit(write(fds[1], name, sizeof(name)) != sizeof(name));
	}
	cr_assert_eq(read(fds[0], name, sizeof(name)), (ssize_t)sizeof(name));
	waitpid(pid, &status, 0);
	cr_expect(owner_is_name(name), "%s", name);
	cr_expect_not(owner_alive(name), "%s", name);
}

Test(owner, other_names_are_not_ours)
{
	static const char *const names[] = {"",		 "trawl",	   "trawl_",	 "trawl_1",
					    "trawl_1_2", "trawl_x_2_usdt", "trawl_1_2x", "uprobes",
					    "sched",	 "trawl_-5_2_usdt"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		cr_expect_not(owner_is_name(names[i]), "%s", names[i]);
}
