/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/output/newfile.h"

enum { NAMES_MOST = 100000 };

static int fail(const char *path, struct trawl_error *err)
{
	return trawl_fail(err, TRAWL_CANNOT, "-w %s: %s", path, destination_fault(errno));
}

int newfile_open(struct newfile *f, const char *wish, const struct user *user,
		 struct trawl_error *err)
{
	struct user_rights rights;
	struct destination at;
	int ret = 0;

	*f = (struct newfile){ .file = UNNAMED_NONE, .wish = strdup(wish) };
	if (!f->wish)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	if (user_enter(user, &rights, err))
		return -1;
	if (destination_find(&at, wish, user->uid, false) || unnamed_open(&f->file, &at))
		ret = fail(wish, err);
	destination_close(&at);
	user_leave(user, &rights);
	return ret;
}

size_t newfile_stem(const char *name)
{
	static const char suffix[] = ".trawl";
	size_t len = strlen(name), n = sizeof(suffix) - 1;

	return len > n && name[len - n - 1] != '/' && !strcmp(name + len - n, suffix) ? len - n
										      : len;
}

static int find_name(struct newfile *f)
{
	size_t stem = newfile_stem(f->wish);
	char *name, *slash;

	for (unsigned int i = 0; i < NAMES_MOST; i++) {
		if ((i ? asprintf(&name, "%.*s.%u%s", (int)stem, f->wish, i, f->wish + stem) :
			 asprintf(&name, "%s", f->wish)) < 0)
			return -1;
		slash = strrchr(name, '/');
		if (!unnamed_name(&f->file, slash ? slash + 1 : name, false)) {
			f->path = name;
			return 0;
		}
		free(name);
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

/* Leaves the file under its temporary name. Returns the path, malloc'd, or NULL: it has none. */
static char *path_beside(struct newfile *f)
{
	char *name = unnamed_leave(&f->file), *slash = strrchr(f->wish, '/'), *path = NULL;

	if (name && asprintf(&path, "%.*s%s", slash ? (int)(slash + 1 - f->wish) : 0, f->wish,
			     name) < 0)
		path = NULL;
	free(name);
	return path;
}

int newfile_commit(struct newfile *f, const struct user *user, struct trawl_error *err)
{
	struct user_rights rights;
	int ret = 0;

	if (user_enter(user, &rights, err))
		return -1;
	if (find_name(f)) {
		ret = fail(f->wish, err);
		f->left = path_beside(f);
	}
	user_leave(user, &rights);
	return ret;
}

void newfile_close(struct newfile *f, const struct user *user)
{
	struct user_rights rights;
	struct trawl_error ignored;

	if (!user_enter(user, &rights, &ignored)) {
		unnamed_close(&f->file);
		user_leave(user, &rights);
	}
	free(f->wish);
	free(f->path);
	free(f->left);
	*f = (struct newfile){ .file = UNNAMED_NONE };
}
