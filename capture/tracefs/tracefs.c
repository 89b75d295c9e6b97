/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "capture/sys/lockdown.h"
#include "capture/tracefs/tracefs.h"
#include "common/array.h"

static const char default_path[] = "/sys/kernel/tracing";
static const char debugfs_entry[] = "/sys/kernel/debug/tracing/trace_clock";

/* Decodes the octal escapes of blanks in mountinfo. */
static void unescape(char *s)
{
	char *out = s;

	for (; *s; s++) {
		unsigned int c;

		if (s[0] == '\\' && sscanf(s + 1, "%3o", &c) == 1 && s[1] && s[2] && s[3]) {
			*out++ = (char)c;
			s += 3;
		} else {
			*out++ = *s;
		}
	}
	*out = '\0';
}

/* Returns the mount point of tracefs in this line, malloc'd; NULL if it is another file system. */
static char *tracefs_path(const char *line)
{
	char *root = NULL, *path = NULL;
	const char *type = strstr(line, " - ");

	if (!type || strncmp(type, " - tracefs ", 11))
		return NULL;
	if (sscanf(line, "%*s %*s %*s %ms %ms", &root, &path) == 2 && !strcmp(root, "/")) {
		unescape(path);
	} else {
		free(path);
		path = NULL;
	}
	free(root);
	return path;
}

/*
 * Opens the folder if it is tracefs: another mount may hide the one in mountinfo. Returns -1 with
 * *err without permission, -2 if it is no tracefs.
 */
static int open_tracefs_at(const char *path, struct trawl_error *err)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool denied = dir < 0 && (errno == EACCES || errno == EPERM);
	struct statfs fs;

	if (dir < 0 && !denied)
		return -2;
	if (dir >= 0 && (fstatfs(dir, &fs) || fs.f_type != TRACEFS_MAGIC)) {
		close(dir);
		return -2;
	}
	if (dir >= 0 && !faccessat(dir, "instances", R_OK | W_OK | X_OK, AT_EACCESS))
		return dir;
	if (dir >= 0)
		close(dir);
	return trawl_fail(err, TRAWL_CANNOT,
			  "%s: no permission to trace: " TRACEFS_REMEDY, path);
}

/* Opens the first mounted tracefs for which there is permission. Returns as open_tracefs_at(). */
static int open_mounted(struct trawl_error *err)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t size = 0;
	int dir = -2;

	if (!f)
		return open_tracefs_at(default_path, err);
	while (dir < 0 && getline(&line, &size, f) > 0) {
		char *path = tracefs_path(line);
		int opened = path ? open_tracefs_at(path, err) : -2;

		if (opened != -2)
			dir = opened;
		free(path);
	}
	free(line);
	fclose(f);
	return dir;
}

int tracefs_open(struct trawl_error *err)
{
	int dir = open_mounted(err);

	if (dir != -2)
		return dir;
	/* debugfs mounts tracefs when its folder is accessed. */
	if (!access(debugfs_entry, F_OK) && (dir = open_mounted(err)) != -2)
		return dir;
	if (faccessat(AT_FDCWD, default_path, F_OK, AT_EACCESS))
		return trawl_fail(err, TRAWL_CANNOT,
				  "tracefs: %s does not exist: this kernel is built without "
				  "tracing (CONFIG_TRACING)", default_path);
	if (mount("nodev", default_path, "tracefs", 0, NULL))
		return trawl_fail(err, TRAWL_CANNOT,
				  "tracefs: not mounted, and trawl cannot mount it (%s): as root, "
				  "run `mount -t tracefs nodev %s`", strerror(errno), default_path);
	dir = open_tracefs_at(default_path, err);
	if (dir == -2)
		return trawl_fail(err, TRAWL_CANNOT, "tracefs: %s: %s", default_path,
				  strerror(errno));
	return dir;
}

static int fail_file(const char *verb, const char *file, struct trawl_error *err)
{
	int saved = errno;

	if (saved == EACCES || saved == EPERM)
		trawl_fail(err, TRAWL_CANNOT,
			   "tracefs: cannot %s %s: no permission: %s", verb, file,
			   lockdown_or(TRACEFS_REMEDY));
	else
		trawl_fail(err, TRAWL_CANNOT, "tracefs: cannot %s %s: %s", verb, file,
			   strerror(saved));
	errno = saved;
	return -1;
}

char *tracefs_read(int dir, const char *file, size_t *len, struct trawl_error *err)
{
	size_t used = 0, size = 0;
	char *text = NULL;
	int fd = openat(dir, file, O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && array_reserve(text, size, used + 4096)) {
		ssize_t n = read(fd, text + used, size - used - 1);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		used += (size_t)n;
		if (!n) {
			close(fd);
			text[used] = '\0';
			if (len)
				*len = used;
			return text;
		}
	}
	fail_file("read", file, err);
	free(text);
	if (fd >= 0)
		close(fd);
	return NULL;
}

int tracefs_write(int dir, const char *file, const char *text, struct trawl_error *err)
{
	int fd = openat(dir, file, O_WRONLY | O_APPEND | O_CLOEXEC), saved;
	ssize_t n;

	if (fd < 0)
		return fail_file("open", file, err);
	do
		n = write(fd, text, strlen(text));
	while (n < 0 && errno == EINTR);
	saved = errno;
	close(fd);
	errno = saved;
	return n < 0 ? fail_file("write", file, err) : 0;
}

int tracefs_write_number(int dir, const char *file, uint64_t value, struct trawl_error *err)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return tracefs_write(dir, file, text, err);
}

bool tracefs_has(int dir, const char *file)
{
	return !faccessat(dir, file, F_OK, AT_EACCESS);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/*
 * error_log's entries look like
 *	[  123.456789] event filter parse error: error: Field not found
 *	  Command: prev_pidx == 1
 *	           ^
 */
bool tracefs_error(int dir, const char *command, char *what, size_t size, int *column)
{
	static const char label[] = "  Command: ";
	struct trawl_error ignored;
	char *log = tracefs_read(dir, "error_log", NULL, &ignored), *at, *reason = NULL;
	size_t len = strlen(command);
	bool found = false;

	while (len && is_blank(command[len - 1])) /* error_log has it without trailing blanks */
		len--;

	for (at = log; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		char *end, *caret;

		if (*at == '[') {
			reason = NULL;
			for (char *e = at, *eol = strchrnul(at, '\n');
			     (e = strstr(e, "error: ")) && e < eol; e++)
				reason = e;
			continue;
		}
		if (strncmp(at, label, sizeof(label) - 1) || !reason)
			continue;
		at += sizeof(label) - 1;
		end = strchrnul(at, '\n');
		if (!memmem(at, (size_t)(end - at), command, len))
			continue;
		found = true;
		snprintf(what, size, "%.*s", (int)strcspn(reason + 7, "\n"), reason + 7);
		*column = -1;
		caret = *end ? end + 1 + strspn(end + 1, " ") : end;
		if (*caret == '^')
			*column = (int)(caret - end - 1) - (int)(sizeof(label) - 1);
	}
	free(log);
	return found;
}

bool tracefs_glob(const char *pattern, const char *name)
{
	return !fnmatch(pattern, name, 0);
}
