/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/regular.h"

enum { READING = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };

static int open_again(int place, const struct stat *wanted, const char *path)
{
	struct stat got;
	char again[32];
	int fd;

	snprintf(again, sizeof(again), "/proc/self/fd/%d", place);
	fd = open(again, READING);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	/* without /proc: open the path again, and check that it is the same file */
	fd = open(path, READING);
	if (fd < 0 || (!fstat(fd, &got) && got.st_ino == wanted->st_ino &&
		       got.st_dev == wanted->st_dev))
		return fd;
	close(fd);
	errno = EAGAIN;
	return -1;
}

int regular_open(const char *path)
{
	int place = open(path, O_PATH | O_CLOEXEC), fd = -1, why;
	struct stat st;

	if (place < 0)
		return -1;
	if (!fstat(place, &st)) {
		errno = EBADF;
		if (S_ISREG(st.st_mode))
			fd = open_again(place, &st, path);
	}
	why = errno;
	close(place);
	errno = why;
	return fd;
}
