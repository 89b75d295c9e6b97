/* SPDX-License-Identifier: MIT */
/* Opens the files that are mapped, which may differ from the files that now have their names. */
#include "config.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/sys/alloc.h"
#include "capture/probe/procmap.h"
#include "common/regular.h"

/* A line of /proc/PID/maps. */
struct mapping {
	unsigned long start, end, inode;
	char perms[5];
	char *path; /* points into the line */
	bool deleted;
};

static bool parse_line(char *line, struct mapping *m)
{
	static const char deleted[] = " (deleted)";
	unsigned long offset;
	char dev[32];
	int at = 0;
	size_t len;

	if (sscanf(line, "%lx-%lx %4s %lx %31s %lu %n", &m->start, &m->end, m->perms, &offset, dev,
		   &m->inode, &at) < 6 || !at)
		return false;
	m->path = line + at;
	len = strcspn(m->path, "\n");
	m->path[len] = '\0';
	m->deleted = len > sizeof(deleted) &&
		     !strcmp(m->path + len - (sizeof(deleted) - 1), deleted);
	if (m->deleted)
		m->path[len - (sizeof(deleted) - 1)] = '\0';
	return m->inode != 0 && strchr(m->perms, 'x') && m->path[0] == '/';
}

/* Frees the path. */
static int open_and_free(char *path)
{
	int fd = regular_open(path);

	free(path);
	return fd;
}

/*
 * /proc/PID/map_files leads to the mapped file itself even if it was renamed or deleted, but needs
 * privileges. The fallback is the path as seen from the process's root, if it has the same inode.
 */
static int open_mapping(pid_t pid, const struct mapping *m)
{
	int fd = open_and_free(xasprintf("/proc/%d/map_files/%lx-%lx", pid, m->start, m->end));
	struct stat st;

	if (fd >= 0 || m->deleted)
		return fd;
	fd = open_and_free(xasprintf("/proc/%d/root%s", pid, m->path));
	if (fd >= 0 && (fstat(fd, &st) < 0 || st.st_ino != m->inode)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static bool known(const struct mapped_file *files, size_t n, int fd)
{
	struct stat a, b;

	if (fstat(fd, &a) < 0)
		return true;
	for (size_t i = 0; i < n; i++) {
		if (fstat(files[i].fd, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
			return true;
	}
	return false;
}

int procmap_open(pid_t pid, struct mapped_file **files, size_t *n, size_t *missed,
		 struct trawl_error *err)
{
	char *path = xasprintf("/proc/%d/maps", pid), *line = NULL;
	size_t size = 0;
	FILE *f = fopen(path, "re");

	free(path);
	*files = NULL;
	*n = *missed = 0;
	if (!f)
		return trawl_fail(err, errno == ENOENT ? TRAWL_USAGE : TRAWL_CANNOT,
				  errno == ENOENT ? "process %d: there is no such process" :
				  geteuid() ?
				  "process %d: its mappings cannot be read; run as root" :
				  "process %d: its mappings cannot be read, not by this root "
				  "either; name the program with the probes (usdt:PATH:...)", pid);
	while (getline(&line, &size, f) > 0) {
		struct mapping m;
		int fd;

		if (!parse_line(line, &m))
			continue;
		fd = open_mapping(pid, &m);
		if (fd < 0) {
			(*missed)++;
		} else if (known(*files, *n, fd)) {
			close(fd);
		} else {
			xgrow(*files, *n);
			(*files)[(*n)++] = (struct mapped_file){ fd, xstrdup(m.path), m.deleted };
		}
	}
	free(line);
	fclose(f);
	return 0;
}

void procmap_free(struct mapped_file *files, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (files[i].fd >= 0)
			close(files[i].fd);
		free(files[i].path);
	}
	free(files);
}
