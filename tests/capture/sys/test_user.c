/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/sys/user.h"

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* Calls user_enter() in a user namespace in which only root exists, and returns its result. */
static int enter_unmapped(int ready, int go)
{
	gid_t group = 0;
	struct user u = {.other = true, .uid = 1234, .gid = 0, .groups = &group, .ngroups = 1};
	struct user_rights saved;
	struct trawl_error err;
	char byte;

	if (unshare(CLONE_NEWUSER) || write(ready, "", 1) != 1 || read(go, &byte, 1) != 1)
		return 0; /* no user namespaces here */
	return user_enter(&u, &saved, &err);
}

/* setfsuid() reports no errors: if the user does not exist, files must not be created as root. */
Test(user, an_unmapped_user_is_an_error)
{
	int up[2], down[2], status;
	char path[64], byte;
	pid_t pid;

	cr_assert(!pipe(up) && !pipe(down));
	pid = fork();
	if (!pid) {
		close(up[0]);
		close(down[1]);
		_exit(enter_unmapped(up[1], down[0]) == -1 ? 0 : 1);
	}
	close(up[1]);
	close(down[0]);
	if (read(up[0], &byte, 1) != 1) {
		waitpid(pid, &status, 0);
		cr_skip_test("no user namespaces here");
	}
	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	put(path, "0 0 1\n");
	snprintf(path, sizeof(path), "/proc/%d/gid_map", pid);
	put(path, "0 0 1\n");
	cr_expect_eq(write(down[1], "", 1), 1);
	close(down[1]);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect(WIFEXITED(status) && !WEXITSTATUS(status), "user_enter() says that it worked");
}

/* As sudo leaves them; a user without an entry in the list of users has the one group. */
Test(user, who_called_sudo_is_the_user)
{
	struct trawl_error err;
	struct user u;

	if (geteuid())
		cr_skip_test("needs root");
	setenv("SUDO_UID", "54321", 1);
	setenv("SUDO_GID", "54322", 1);
	cr_assert_eq(user_find(&u, NULL, &err), 0);
	cr_expect(u.other && u.uid == 54321 && u.gid == 54322 && !u.name && !u.home);
	cr_assert_eq(u.ngroups, 1);
	cr_expect_eq(u.groups[0], 54322);
	user_free(&u);
	setenv("SUDO_GID", "4294967295", 1); /* (gid_t)-1: leave as it is */
	cr_assert_eq(user_find(&u, NULL, &err), -1);
	cr_expect_eq(err.status, TRAWL_USAGE);
	cr_expect(strstr(err.text, "SUDO_UID=54321, SUDO_GID=4294967295: not valid"), "%s",
		  err.text);
}

Test(user, a_user_that_is_named_has_the_groups_of_a_login)
{
	struct trawl_error err;
	struct user u;

	if (geteuid())
		cr_skip_test("needs root");
	cr_assert_eq(user_find(&u, "nobody", &err), 0);
	cr_expect(u.other && u.uid && u.gid && u.name && u.home);
	cr_expect_str_eq(u.name, "nobody");
	cr_assert_geq(u.ngroups, 1);
	cr_expect_eq(u.groups[0], u.gid);
	user_free(&u);
	cr_assert_eq(user_find(&u, "nobody-here", &err), -1);
	cr_expect_str_eq(err.text, "-Z nobody-here: no such user");
}
