/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/unnamed.h"

/* The path of a descriptor in /proc, for linkat(). */
struct fd_name {
	char text[32];
};

static struct fd_name fd_name(int fd)
{
	struct fd_name name;

	snprintf(name.text, sizeof(name.text), "/proc/self/fd/%d", fd);
	return name;
}

static char *name_beside(const struct unnamed *n)
{
	char *name;

	return asprintf(&name, "%s.%d~", n->at.name, getpid()) < 0 ? NULL : name;
}

static int open_unnamed(int folder)
{
	int fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 && access(fd_name(fd).text, F_OK)) {
		close(fd);
		return -1;
	}
	return fd;
}

int unnamed_open(struct unnamed *n, struct destination *at)
{
	*n = (struct unnamed){ .at = *at, .fd = -1 };
	*at = (struct destination)DESTINATION_NONE;
	if (!strcmp(n->at.name, ".")) {
		errno = EISDIR;
		goto fail;
	}
	n->fd = open_unnamed(n->at.folder);
	if (n->fd >= 0)
		return 0;
	n->beside = name_beside(n);
	if (!n->beside)
		goto fail;
	unlinkat(n->at.folder, n->beside, 0); /* left by a killed process with the same pid */
	n->fd = openat(n->at.folder, n->beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (n->fd >= 0)
		return 0;
	free(n->beside);
	n->beside = NULL;
fail:
	*at = n->at;
	*n = (struct unnamed)UNNAMED_NONE;
	return -1;
}

/*
 * Moves to a name that must be free, on file systems without RENAME_NOREPLACE: by a hard link, or
 * without hard links by first creating an empty file with that name.
 */
static int move_by_steps(int folder, const char *from, const char *to)
{
	int fd, why;

	if (!linkat(folder, from, folder, to, 0)) {
		unlinkat(folder, from, 0); /* if that fails, the file has two names */
		return 0;
	}
	if (errno == EEXIST)
		return -1;
	fd = openat(folder, to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	close(fd);
	if (!renameat(folder, from, folder, to))
		return 0;
	why = errno;
	unlinkat(folder, to, 0);
	errno = why;
	return -1;
}

static int move_there(struct unnamed *n, const char *name, bool replace)
{
	int in = n->at.folder;
	int r = renameat2(in, n->beside, in, name, replace ? 0 : RENAME_NOREPLACE);

	if (r && !replace && (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP))
		r = move_by_steps(in, n->beside, name);
	if (r)
		return -1;
	free(n->beside);
	n->beside = NULL;
	return 0;
}

/* linkat() cannot replace a file, so the file gets a temporary name first and is renamed. */
int unnamed_name(struct unnamed *n, const char *name, bool replace)
{
	struct fd_name from = fd_name(n->fd);

	if (!name)
		name = n->at.name;
	if (n->beside)
		return move_there(n, name, replace);
	if (!linkat(AT_FDCWD, from.text, n->at.folder, name, AT_SYMLINK_FOLLOW))
		return 0;
	if (errno != EEXIST || !replace)
		return -1;
	n->beside = name_beside(n);
	if (!n->beside)
		return -1;
	unlinkat(n->at.folder, n->beside, 0);
	if (!linkat(AT_FDCWD, from.text, n->at.folder, n->beside, AT_SYMLINK_FOLLOW))
		return move_there(n, name, true);
	free(n->beside);
	n->beside = NULL;
	return -1;
}

char *unnamed_leave(struct unnamed *n)
{
	char *name = n->beside;

	n->beside = NULL;
	return name;
}

void unnamed_close(struct unnamed *n)
{
	if (n->beside)
		unlinkat(n->at.folder, n->beside, 0);
	free(n->beside);
	if (n->fd >= 0)
		close(n->fd);
	destination_close(&n->at);
	*n = (struct unnamed)UNNAMED_NONE;
}
