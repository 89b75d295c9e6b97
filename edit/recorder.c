/* SPDX-License-Identifier: MIT */
#include "edit/recorder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

enum {
	WORDS = 1 << 16, /* most bytes of a command line */
	FOUND = 16,
	PATIENCE = 120, /* seconds that a recorder may take for its --after and for writing */
};

struct recorder {
	int pid, parent;
	char folder[4096], name[256]; /* the folder of its files, and how their names begin */
};

/*
 * Finds an option's argument in a command line of NUL-terminated words: in the word of the option
 * or in the next one. NULL: the option is not present.
 */
static const char *option(const char *words, size_t len, const char *short_name,
			  const char *long_name)
{
	const char *end = words + len;

	for (const char *w = words; w < end && strcmp(w, "--"); w += strlen(w) + 1) {
		size_t n = strlen(long_name);

		if (!strncmp(w, long_name, n) && w[n] == '=')
			return w + n + 1;
		if (!strcmp(w, long_name) || (short_name && !strcmp(w, short_name)))
			return w + strlen(w) + 1 < end ? w + strlen(w) + 1 : NULL;
		if (short_name && !strncmp(w, short_name, 2) && w[2])
			return w + 2;
	}
	return NULL;
}

static size_t read_proc(int pid, const char *name, char *to, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, to, size - 1);
	if (fd >= 0)
		close(fd);
	to[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

static bool is_trawl(int pid)
{
	char path[64], exe[4096];
	const char *name;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	n = readlink(path, exe, sizeof(exe) - 1);
	if (n <= 0)
		return false;
	exe[n] = '\0';
	name = strrchr(exe, '/') ? strrchr(exe, '/') + 1 : exe;
	return !strcmp(name, "trawl") || !strcmp(name, "lt-trawl");
}

/*
 * Finds the folder and name of the recorder's files from its -w argument, relative to its working
 * directory. The name ends at the first strftime() conversion.
 */
static bool place(struct recorder *r, const char *file)
{
	const char *slash = strrchr(file, '/');
	char path[64], cwd[2048];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/cwd", r->pid);
	n = readlink(path, cwd, sizeof(cwd) - 1);
	cwd[n > 0 ? n : 0] = '\0';
	snprintf(r->folder, sizeof(r->folder), "%s%s%.*s", *file == '/' ? "" : cwd,
		 *file == '/' ? "" : "/", slash ? (int)(slash - file) : 0, file);
	snprintf(r->name, sizeof(r->name), "%s", slash ? slash + 1 : file);
	r->name[strcspn(r->name, "%")] = '\0';
	if (strlen(r->name) > 6 && !strcmp(r->name + strlen(r->name) - 6, ".trawl"))
		/* numbered files are called x1.trawl, x.1.trawl */
		r->name[strlen(r->name) - 6] = '\0';
	return (n > 0 || *file == '/') && !strchr(r->folder, '%');
}

static bool recognise(struct recorder *r, int pid)
{
	char words[WORDS];
	const char *file, *parent;
	char stat[512];
	size_t n;

	r->pid = pid;
	if (!is_trawl(pid))
		return false;
	read_proc(pid, "stat", stat, sizeof(stat));
	parent = strrchr(stat, ')');
	r->parent = parent && strlen(parent) > 4 ? atoi(parent + 4) : 0;
	n = read_proc(pid, "cmdline", words, sizeof(words));
	file = option(words, n, "-w", "--write");
	return file && option(words, n, NULL, "--ring") && place(r, file);
}

/*
 * Removes child processes of recorders from the list: they are helpers, not recorders themselves.
 */
static size_t without_children(struct recorder *r, size_t n)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		bool child = false;

		for (size_t k = 0; k < n; k++)
			child |= r[i].parent == r[k].pid;
		if (!child)
			r[left++] = r[i];
	}
	return left;
}

static int find(int pid, struct recorder *found, struct trawl_error *err)
{
	struct recorder *r = calloc(FOUND, sizeof(*r));
	DIR *d = pid ? NULL : opendir("/proc");
	struct dirent *e;
	size_t n = 0;
	int ret = -1;

	if (!r)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	if (pid)
		n = recognise(&r[0], pid);
	while (d && n < FOUND && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]) && recognise(&r[n], atoi(e->d_name)))
			n++;
	n = without_children(r, n);
	if (d)
		closedir(d);
	if (n == 1)
		ret = 0;
	else if (pid)
		trawl_fail(err, TRAWL_USAGE, "--recorder: %d is not one of your flight "
			   "recorders (trawl --ring SIZE -w FILE); pgrep -a trawl lists them", pid);
	else if (n)
		trawl_fail(err, TRAWL_USAGE, "--recorder: several are running (%d, %d%s); "
			   "choose one by its PID", r[0].pid, r[1].pid, n > 2 ? ", ..." : "");
	else
		trawl_fail(err, TRAWL_USAGE, "FILE: is missing, and none of your flight recorders "
			   "is running (trawl --ring SIZE -w FILE); give FILE or -- COMMAND");
	*found = r[0];
	free(r);
	return ret;
}

/*
 * Reads the names of new files in the folder. A recorder's file is complete when it has its final
 * name, without '~'.
 */
static bool take_name(int fd, const struct recorder *r, char *path, size_t size)
{
	_Alignas(struct inotify_event) char buffer[8192];
	ssize_t n = read(fd, buffer, sizeof(buffer));
	const struct inotify_event *e;

	for (char *p = buffer; n > 0 && p < buffer + n; p += sizeof(*e) + e->len) {
		e = (const struct inotify_event *)p;
		if (!e->len || strncmp(e->name, r->name, strlen(r->name)) ||
		    strchr(e->name, '~'))
			continue;
		snprintf(path, size, "%s/%s", r->folder, e->name);
		return true;
	}
	return false;
}

static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

int recorder_save(int pid, char *path, size_t size, struct trawl_error *err)
{
	struct recorder r = { 0 };
	struct pollfd p = { .events = POLLIN };
	time_t begun = seconds();
	bool got = false;

	if (find(pid, &r, err))
		return -1;
	p.fd = inotify_init1(IN_CLOEXEC);
	if (p.fd < 0 ||
	    inotify_add_watch(p.fd, r.folder, IN_CREATE | IN_MOVED_TO) < 0 ||
	    kill(r.pid, SIGUSR1)) {
		trawl_fail(err, TRAWL_CANNOT, "flight recorder %d, which writes to %s: %s", r.pid,
			   r.folder, strerror(errno));
		if (p.fd >= 0)
			close(p.fd);
		return -1;
	}
	while (!got && seconds() - begun < PATIENCE && !kill(r.pid, 0)) {
		int ready = poll(&p, 1, 1000);

		if (ready < 0)
			break;
		got = ready > 0 && take_name(p.fd, &r, path, size);
	}
	close(p.fd);
	if (got)
		return 0;
	return trawl_fail(err, TRAWL_CANNOT, "flight recorder %d: wrote no file to %s; see its "
			  "messages", r.pid, r.folder);
}
