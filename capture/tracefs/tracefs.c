/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "capture/tracefs/tracefs.h"

static const char default_path[] = "/sys/kernel/tracing";
static const char old_path[] = "/sys/kernel/debug/tracing";

/* The octal escapes that mountinfo has for blanks. */
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

/* Where tracefs is mounted, as a malloc'd path; NULL if nowhere. */
static char *mounted_at(void)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, *found = NULL;
	size_t size = 0;

	if (!f)
		return NULL;
	while (!found && getline(&line, &size, f) > 0) {
		char *root = NULL, *path = NULL, *type = strstr(line, " - ");

		if (!type || strncmp(type, " - tracefs ", 11))
			continue;
		if (sscanf(line, "%*s %*s %*s %ms %ms", &root, &path) == 2 && !strcmp(root, "/")) {
			unescape(path);
			found = path;
			path = NULL;
		}
		free(root);
		free(path);
	}
	free(line);
	fclose(f);
	return found;
}

static int open_dir(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Is this directory tracefs, and open to us? */
static int open_tracefs_at(const char *path, struct trawl_error *err)
{
	int dir = open_dir(path);

	if (dir >= 0 && !faccessat(dir, "instances", R_OK | W_OK | X_OK, AT_EACCESS))
		return dir;
	if (dir >= 0 || errno == EACCES || errno == EPERM)
		trawl_fail(err, TRAWL_CANNOT,
			   "%s: no permission to trace: run trawl as root (or with sudo)", path);
	else
		trawl_fail(err, TRAWL_CANNOT, "%s: %s", path, strerror(errno));
	if (dir >= 0)
		close(dir);
	return -1;
}

int tracefs_open(struct trawl_error *err)
{
	char *path = mounted_at();
	int dir;

	if (path) {
		dir = open_tracefs_at(path, err);
		free(path);
		return dir;
	}
	/* debugfs mounts it by itself when its folder is entered. */
	dir = open_dir(old_path);
	if (dir >= 0 && !faccessat(dir, "trace_clock", F_OK, AT_EACCESS) && (path = mounted_at())) {
		free(path);
		return dir;
	}
	if (dir >= 0)
		close(dir);
	if (faccessat(AT_FDCWD, default_path, F_OK, AT_EACCESS))
		return trawl_fail(err, TRAWL_CANNOT,
				  "tracefs: %s does not exist: this kernel is built without "
				  "tracing (CONFIG_TRACING)", default_path);
	if (mount("nodev", default_path, "tracefs", 0, NULL))
		return trawl_fail(err, TRAWL_CANNOT,
				  "tracefs: not mounted, and trawl cannot mount it (%s): as root, "
				  "run `mount -t tracefs nodev %s`", strerror(errno), default_path);
	return open_tracefs_at(default_path, err);
}

static int fail_file(const char *verb, const char *file, struct trawl_error *err)
{
	int saved = errno;

	if (saved == EACCES || saved == EPERM)
		trawl_fail(err, TRAWL_CANNOT,
			   "tracefs: cannot %s %s: no permission: run trawl as root", verb, file);
	else
		trawl_fail(err, TRAWL_CANNOT, "tracefs: cannot %s %s: %s", verb, file,
			   strerror(saved));
	errno = saved;
	return -1;
}

char *tracefs_read(int dir, const char *file, size_t *len, struct trawl_error *err)
{
	size_t used = 0, size = 4096;
	char *text = malloc(size);
	int fd = openat(dir, file, O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && text) {
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
		if (used + 1 == size) {
			char *grown = realloc(text, size *= 2);

			if (!grown)
				break;
			text = grown;
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

	while (len && is_blank(command[len - 1])) /* as the kernel does */
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
