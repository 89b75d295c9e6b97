/* SPDX-License-Identifier: MIT */
/*
 * Libraries are looked for as ld.so does, but by its configuration's text rather than its cache,
 * whose format is not documented.
 */
#include "config.h"

#include <glob.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "capture/sys/alloc.h"
#include "capture/sys/path.h"

enum { INCLUDE_DEPTH = 4 };

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The file `name` in `dir`, or NULL. */
static char *in_dir(const char *dir, size_t len, const char *name)
{
	char *path = len ? xasprintf("%.*s/%s", (int)len, dir, name) : xasprintf("./%s", name);

	if (is_file(path))
		return path;
	free(path);
	return NULL;
}

static char *in_dirs(const char *dirs, const char *name)
{
	while (dirs) {
		const char *end = strchrnul(dirs, ':');
		char *path = in_dir(dirs, (size_t)(end - dirs), name);

		if (path)
			return path;
		dirs = *end ? end + 1 : NULL;
	}
	return NULL;
}

static char *in_conf(const char *conf, const char *name, int depth);

static char *in_included(const char *pattern, const char *name, int depth)
{
	glob_t found;
	char *path = NULL;

	if (depth == 0 || glob(pattern, 0, NULL, &found) != 0)
		return NULL;
	for (size_t i = 0; i < found.gl_pathc && !path; i++)
		path = in_conf(found.gl_pathv[i], name, depth - 1);
	globfree(&found);
	return path;
}

/* Looks in the folders that an ld.so.conf names. */
static char *in_conf(const char *conf, const char *name, int depth)
{
	char line[4096], *path = NULL;
	FILE *f = fopen(conf, "re");

	if (!f)
		return NULL;
	while (!path && fgets(line, sizeof(line), f)) {
		char *text = line + strspn(line, " \t");

		text[strcspn(text, "#\r\n")] = '\0';
		if (!strncmp(text, "include", 7) && (text[7] == ' ' || text[7] == '\t'))
			path = in_included(text + 7 + strspn(text + 7, " \t"), name, depth);
		else if (*text == '/')
			path = in_dir(text, strcspn(text, " \t"), name);
	}
	fclose(f);
	return path;
}

static char *find_library(const char *name)
{
	const char *env = getenv("LD_LIBRARY_PATH");
	char *path = env && *env ? in_dirs(env, name) : NULL;

	if (!path)
		path = in_conf("/etc/ld.so.conf", name, INCLUDE_DEPTH);
	if (!path)
		path = in_dirs("/lib64:/usr/lib64:/lib:/usr/lib", name);
	return path;
}

char *path_find(const char *name)
{
	const char *env = getenv("PATH");
	char *path;

	if (!*name)
		return NULL;
	if (strchr(name, '/'))
		return is_file(name) ? xstrdup(name) : NULL;
	if (strstr(name, ".so")) {
		path = find_library(name);
		if (path)
			return path;
	}
	return env ? in_dirs(env, name) : NULL;
}
