/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/regular.h"
#include "common/reopen.h"

int regular_open(const char *path)
{
	int place = open(path, O_PATH | O_CLOEXEC), fd = -1, why;
	struct stat st;

	if (place < 0)
		return -1;
	if (!fstat(place, &st)) {
		errno = EBADF;
		if (S_ISREG(st.st_mode))
			fd = reopen(place, AT_FDCWD, path,
				    O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	}
	why = errno;
	close(place);
	errno = why;
	return fd;
}
