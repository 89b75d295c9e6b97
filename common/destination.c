/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "common/destination.h"
#include "common/interrupted.h"
#include "common/reopen.h"

enum {
	LINKS_MOST = 40, /* most links in a path: the kernel's limit */
	READER_WAIT_MS = 5000,
	READER_STEP_MS = 20,
};

/* ---- resolving a path -------------------------------------------------------------------- */

/* The rest of the path, and the folder that it is relative to. */
struct way {
	int folder;
	char *left;
	int links;
};

/* Continues with a path, which it frees later. A relative one starts at the current folder. */
static int way_begin(struct way *w, char *path)
{
	free(w->left);
	w->left = path;
	if (w->folder >= 0 && *path != '/')
		return 0;
	if (w->folder >= 0)
		close(w->folder);
	w->folder = open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return w->folder < 0 ? -1 : 0;
}

/* Returns the next part of the path, NUL-terminated; *last: it is the last one. NULL: the end. */
static char *next_part(char **at, bool *last)
{
	char *part = *at + strspn(*at, "/"), *end = part + strcspn(part, "/");

	if (!*part)
		return NULL;
	*last = !end[strspn(end, "/")];
	*at = *end ? end + 1 : end;
	*end = '\0';
	return part;
}

/*
 * Whether the folder is in procfs. Its links may lead to objects without a path, so the kernel must
 * follow them.
 */
static bool in_procfs(int folder)
{
	struct statfs fs;

	return !fstatfs(folder, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* Continues with the target of a link, followed by the rest of the path. */
static int follow_link(struct way *w, int link, const char *rest, uid_t us)
{
	char text[PATH_MAX], *path;
	struct stat st;
	ssize_t n;

	if (++w->links > LINKS_MOST) {
		errno = ELOOP;
		return -1;
	}
	if (fstat(link, &st))
		return -1;
	if (st.st_uid && st.st_uid != us) {
		errno = ENOLINK;
		return -1;
	}
	n = readlinkat(link, "", text, sizeof(text) - 1);
	if (n < 0)
		return -1;
	text[n] = '\0';
	if (asprintf(&path, "%s/%s", text, rest) < 0)
		return -1;
	if (!*rest)
		path[n] = '\0';
	return way_begin(w, path);
}

static int step_into(struct way *w, const char *part, int flags)
{
	int fd = openat(w->folder, part, O_PATH | O_CLOEXEC | flags);

	if (fd < 0)
		return -1;
	close(w->folder);
	w->folder = fd;
	return 0;
}

/* Resolves one part. Returns 1 if the destination is found; 0 if parts are left; -1 with errno. */
static int go_part(struct way *w, struct destination *d, uid_t us, bool follow)
{
	bool last = true, is_link;
	char *at = w->left, *part = next_part(&at, &last);
	struct stat st;
	int link, ret;

	if (!part || (last && (!strcmp(part, ".") || !strcmp(part, "..")))) {
		d->name = strdup(".");
		return !d->name || (part && step_into(w, part, O_DIRECTORY)) ? -1 : 1;
	}
	link = openat(w->folder, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	is_link = link >= 0 && !fstat(link, &st) && S_ISLNK(st.st_mode);
	if (is_link && (!last || follow) && !in_procfs(link)) {
		ret = follow_link(w, link, at, us);
	} else if (last) {
		d->name = strdup(part);
		ret = d->name ? 1 : -1;
	} else {
		ret = step_into(w, part, O_DIRECTORY | (is_link ? 0 : O_NOFOLLOW));
		if (!ret)
			memmove(w->left, at, strlen(at) + 1);
	}
	if (link >= 0)
		close(link);
	return ret;
}

int destination_find(struct destination *d, const char *path, uid_t us, bool follow)
{
	struct way w = { .folder = -1 };
	size_t n = strlen(path);
	char *copy = NULL;
	int ret, why;

	*d = (struct destination)DESTINATION_NONE;
	if (!n)
		errno = ENOENT;
	else if (asprintf(&copy, "%s%s", path, path[n - 1] == '/' ? "." : "") < 0)
		copy = NULL;
	ret = copy ? way_begin(&w, copy) : -1;
	while (!ret)
		ret = go_part(&w, d, us, follow);
	why = errno;
	free(w.left);
	if (ret > 0) {
		d->folder = w.folder;
		return 0;
	}
	if (w.folder >= 0)
		close(w.folder);
	errno = why;
	return -1;
}

/* ---- special files ----------------------------------------------------------------------- */

/* Opens what an O_PATH descriptor of the destination refers to for writing, without waiting. */
static int open_again(int fd, const struct destination *d)
{
	return reopen(fd, d->folder, d->name,
		      O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW);
}

static int open_fifo(int fd, const struct destination *d)
{
	const struct timespec step = { .tv_nsec = READER_STEP_MS * 1000000 };
	int got = open_again(fd, d);

	for (int ms = 0; got < 0 && errno == ENXIO && ms < READER_WAIT_MS; ms += READER_STEP_MS) {
		if (is_interrupted()) {
			errno = EINTR;
			return -1;
		}
		nanosleep(&step, NULL);
		got = open_again(fd, d);
	}
	return got;
}

int destination_open_special(const struct destination *d, uid_t us)
{
	bool open_already = in_procfs(d->folder); /* leads to an open object: any type is valid */
	int fd, got = -1, why;
	struct stat st;

	fd = openat(d->folder, d->name, O_PATH | O_CLOEXEC | (open_already ? 0 : O_NOFOLLOW));
	if (fd < 0)
		return -1; /* the caller will create the file and report the error */
	if (fstat(fd, &st) || S_ISLNK(st.st_mode) || (S_ISREG(st.st_mode) && !open_already)) {
		close(fd);
		return -1;
	}
	errno = S_ISDIR(st.st_mode) ? EISDIR : ENOTUNIQ;
	if (S_ISDIR(st.st_mode) ||
	    (S_ISFIFO(st.st_mode) && !open_already && st.st_uid && st.st_uid != us))
		;
	else
		got = S_ISFIFO(st.st_mode) ? open_fifo(fd, d) : open_again(fd, d);
	why = errno;
	close(fd);
	if (got >= 0 && !fcntl(got, F_SETFL, 0))
		return got;
	errno = why;
	return -2;
}

static int open_file(const struct destination *d, bool make)
{
	const int flags = O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;

	if (!make)
		return openat(d->folder, d->name, flags);
	if (unlinkat(d->folder, d->name, 0) && errno != ENOENT)
		return -1;
	return openat(d->folder, d->name, flags | O_CREAT | O_EXCL, 0600);
}

int destination_open(const char *path, uid_t us, bool make)
{
	struct destination d;
	int fd, why;

	if (destination_find(&d, path, us, true))
		return -1;
	fd = destination_open_special(&d, us);
	if (fd == -1)
		fd = open_file(&d, make);
	why = errno;
	destination_close(&d);
	errno = why;
	return fd < 0 ? -1 : fd;
}

void destination_close(struct destination *d)
{
	if (d->folder >= 0)
		close(d->folder);
	free(d->name);
	*d = (struct destination)DESTINATION_NONE;
}

const char *destination_fault(int error)
{
	switch (error) {
	case ENOLINK:
		return "a link of another user is on the way and not followed; name the place that "
		       "it leads to, or remove it";
	case ENOTUNIQ:
		return "is a FIFO of another user; name another file, or remove it";
	case ENXIO:
		return "no program reads it; start its reader first";
	case EINTR:
		return "no program read it until the interrupt; start its reader first";
	default:
		return strerror(error);
	}
}
