/* SPDX-License-Identifier: MIT */
/* What is no regular file is not even opened: inotify tells of each opening. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/regular.h"

static char folder[] = "/tmp/trawl-test-regular-XXXXXX";
static int watch;

static void set_up(void)
{
	cr_assert(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
	close(open("file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	mkdir("dir", 0700);
	mkfifo("fifo", 0600);
	cr_assert_eq(symlink("file", "link"), 0);
	cr_assert_eq(symlink("fifo", "fifolink"), 0);
	watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	inotify_add_watch(watch, folder, IN_OPEN);
}

static void tear_down(void)
{
	static const char *const names[] = {"file", "fifo", "link", "fifolink"};

	for (size_t i = 0; i < 4; i++)
		unlink(names[i]);
	rmdir("dir");
	rmdir(folder);
	close(watch);
}

static bool was_opened(void)
{
	char notices[4096];

	return read(watch, notices, sizeof(notices)) > 0;
}

static void opens(const char *path)
{
	int fd = regular_open(path);

	cr_expect_geq(fd, 0, "%s: %s", path, strerror(errno));
	cr_expect(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	cr_expect(was_opened(), "%s", path);
}

static void refuses(const char *path, int why)
{
	cr_expect_eq(regular_open(path), -1, "%s", path);
	cr_expect_eq(errno, why, "%s: %s", path, strerror(errno));
	cr_expect_not(was_opened(), "%s is opened", path);
}

Test(regular, nothing_else_is_opened, .init = set_up, .fini = tear_down, .timeout = 60)
{
	opens("file");
	opens("link");
	refuses("fifo", EBADF);
	refuses("fifolink", EBADF);
	refuses("dir", EBADF);
	refuses("/dev/null", EBADF);
	refuses("none", ENOENT);
}
