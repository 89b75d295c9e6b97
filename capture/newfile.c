/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "newfile.h"

enum { NAMES_MOST = 100000 };

static int fail(const char *path, struct trawl_error *err)
{
	return trawl_fail(err, TRAWL_CANNOT, "-w %s: %s", path, strerror(errno));
}

/* Without a name at all where the file system knows that, else under one of its own. */
static int open_nameless(struct newfile *f)
{
	char *copy = strdup(f->wish);

	if (!copy)
		return -1;
	f->fd = open(dirname(copy), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	free(copy);
	if (f->fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return f->fd;
	if (asprintf(&f->temporary, "%s.%d~", f->wish, getpid()) < 0) {
		f->temporary = NULL;
		return -1;
	}
	f->fd = open(f->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (f->fd < 0) {
		free(f->temporary);
		f->temporary = NULL;
	}
	return f->fd;
}

int newfile_open(struct newfile *f, const char *wish, const struct user *user,
		 struct trawl_error *err)
{
	struct user_rights rights;
	int ret = 0;

	*f = (struct newfile){ .fd = -1, .wish = strdup(wish) };
	if (!f->wish)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	if (user_enter(user, &rights, err))
		return -1;
	if (open_nameless(f) < 0)
		ret = fail(wish, err);
	user_leave(user, &rights);
	return ret;
}

/* 0, or -1 with errno; EEXIST when the name is taken. */
static int give_name(const struct newfile *f, const char *name)
{
	char self[64];

	if (f->temporary)
		return renameat2(AT_FDCWD, f->temporary, AT_FDCWD, name, RENAME_NOREPLACE);
	snprintf(self, sizeof(self), "/proc/self/fd/%d", f->fd);
	return linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

static int find_name(struct newfile *f)
{
	char *name;

	for (unsigned int i = 0; i < NAMES_MOST; i++) {
		if ((i ? asprintf(&name, "%s.%u", f->wish, i) : asprintf(&name, "%s", f->wish)) < 0)
			return -1;
		if (!give_name(f, name)) {
			f->path = name;
			return 0;
		}
		free(name);
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

int newfile_commit(struct newfile *f, const struct user *user, struct trawl_error *err)
{
	struct user_rights rights;
	int ret = 0;

	if (user_enter(user, &rights, err))
		return -1;
	if (find_name(f))
		ret = fail(f->wish, err);
	user_leave(user, &rights);
	if (!ret) {
		free(f->temporary);
		f->temporary = NULL;
	}
	return ret;
}

void newfile_close(struct newfile *f, const struct user *user)
{
	struct user_rights rights;
	struct trawl_error ignored;

	if (f->fd >= 0)
		close(f->fd);
	if (f->temporary && !user_enter(user, &rights, &ignored)) {
		unlink(f->temporary);
		user_leave(user, &rights);
	}
	free(f->wish);
	free(f->temporary);
	free(f->path);
	*f = (struct newfile){ .fd = -1 };
}
