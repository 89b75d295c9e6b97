/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/unnamed.h"

enum { LINKS_MOST = 40 }; /* in a row, as the kernel has it */

/* The name by which a descriptor can be linked. */
struct fd_name {
	char text[32];
};

static struct fd_name fd_name(int fd)
{
	struct fd_name name;

	snprintf(name.text, sizeof(name.text), "/proc/self/fd/%d", fd);
	return name;
}

static char *name_beside(const char *path)
{
	char *name;

	return asprintf(&name, "%s.%d~", path, getpid()) < 0 ? NULL : name;
}

static int open_unnamed(const char *path)
{
	char *folder = strdup(path);
	int fd = folder ? open(dirname(folder), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600) : -1;

	free(folder);
	if (fd >= 0 && access(fd_name(fd).text, F_OK)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* What the link at path says, as a path from where we are; malloc'd. */
static char *read_link(const char *path)
{
	char text[PATH_MAX], *slash = strrchr(path, '/'), *leads = NULL;
	ssize_t n = readlink(path, text, sizeof(text) - 1);

	if (n < 0)
		return NULL;
	text[n] = '\0';
	if (text[0] == '/' || !slash)
		return strdup(text);
	return asprintf(&leads, "%.*s/%s", (int)(slash - path), path, text) < 0 ? NULL : leads;
}

char *unnamed_target(const char *path, uid_t us)
{
	char *at = strdup(path), *next;
	struct stat st;

	for (int links = 0; at && !lstat(at, &st) && S_ISLNK(st.st_mode); links++) {
		next = NULL;
		if (links == LINKS_MOST)
			errno = ELOOP;
		else if (st.st_uid && st.st_uid != us)
			errno = EPERM;
		else
			next = read_link(at);
		free(at);
		at = next;
	}
	return at;
}

int unnamed_open(struct unnamed *n, const char *path)
{
	*n = (struct unnamed){ .fd = open_unnamed(path) };
	if (n->fd >= 0)
		return 0;
	n->beside = name_beside(path);
	if (!n->beside)
		return -1;
	unlink(n->beside); /* of a process that was killed and had our number */
	n->fd = open(n->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (n->fd >= 0)
		return 0;
	free(n->beside);
	n->beside = NULL;
	return -1;
}

/*
 * To a name that is free, where the file system cannot look and move in one step: by a second name;
 * where it has none of these either, in place of an empty file that takes the name.
 */
static int move_by_steps(const char *from, const char *to)
{
	int fd, why;

	if (!link(from, to)) {
		unlink(from); /* if it stays, the file has two names */
		return 0;
	}
	if (errno == EEXIST)
		return -1;
	fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	close(fd);
	if (!rename(from, to))
		return 0;
	why = errno;
	unlink(to);
	errno = why;
	return -1;
}

static int move_there(struct unnamed *n, const char *path, bool replace)
{
	int r = renameat2(AT_FDCWD, n->beside, AT_FDCWD, path, replace ? 0 : RENAME_NOREPLACE);

	if (r && !replace && (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP))
		r = move_by_steps(n->beside, path);
	if (r)
		return -1;
	free(n->beside);
	n->beside = NULL;
	return 0;
}

/* linkat() replaces nothing: the file gets a name beside, from which it can be moved. */
int unnamed_name(struct unnamed *n, const char *path, bool replace)
{
	struct fd_name from = fd_name(n->fd);

	if (n->beside)
		return move_there(n, path, replace);
	if (!linkat(AT_FDCWD, from.text, AT_FDCWD, path, AT_SYMLINK_FOLLOW))
		return 0;
	if (errno != EEXIST || !replace)
		return -1;
	n->beside = name_beside(path);
	if (!n->beside)
		return -1;
	unlink(n->beside);
	if (!linkat(AT_FDCWD, from.text, AT_FDCWD, n->beside, AT_SYMLINK_FOLLOW))
		return move_there(n, path, true);
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
		unlink(n->beside);
	free(n->beside);
	if (n->fd >= 0)
		close(n->fd);
	*n = (struct unnamed){ .fd = -1 };
}
