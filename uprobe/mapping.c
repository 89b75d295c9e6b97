// SPDX-License-Identifier: MIT
#include "config.h"

#include "uprobe/mapping.h"
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
#define PATH_LAST  4095
_Static_assert(PATH_LAST == PATH_MAX - 1, "sscanf() also writes a NUL");

enum { LINE_FRONT = 304 }; /* of a line of /proc/PID/maps before the path, which is less */

/* A mapping of a file. */
struct mapping {
	uint64_t start, end, offset;
	dev_t device;
	ino_t inode;
	char path[PATH_MAX];
};

static bool find_mapping(pid_t pid, uint64_t where, struct mapping *m)
{
	unsigned major, minor;
	char line[PATH_MAX + LINE_FRONT], name[32];
	uint64_t inode;
	bool found = false;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	maps = fopen(name, "re");
	while (maps && !found && fgets(line, sizeof(line), maps))
		found = sscanf(line,
			       "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64
			       " %" TEXT(PATH_LAST) "[^\n]",
			       &m->start, &m->end, &m->offset, &major, &minor, &inode,
			       m->path) == 7 &&
			m->start <= where && where < m->end && *m->path == '/';
	if (maps)
		fclose(maps);
	m->device = found ? makedev(major, minor) : 0;
	m->inode = found ? inode : 0;
	return found;
}

/*
 * Opens a regular file, since opening a device or a FIFO has effects. m: only if it is this
 * mapping's file; NULL: any.
 */
static int open_regular(const char *path, const struct mapping *m)
{
	int place = open(path, O_PATH | O_CLOEXEC), fd = -1;
	struct stat status;
	char again[32];

	if (place < 0)
		return -1;
	if (fstat(place, &status) == 0 && S_ISREG(status.st_mode) &&
	    (!m || (status.st_dev == m->device && status.st_ino == m->inode))) {
		snprintf(again, sizeof(again), "/proc/self/fd/%d", place);
		fd = open(again, O_RDONLY | O_CLOEXEC);
	}
	close(place);
	return fd;
}

/*
 * Opens the mapped file for reading: by /proc/PID/map_files, whose links are to the mapped files
 * themselves, and which takes CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN; otherwise by its path as the
 * process sees it, if that still names the same device and inode. Returns a descriptor, or -1.
 */
static int open_mapping(pid_t pid, const struct mapping *m)
{
	char path[sizeof(m->path) + 64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, m->start,
		 m->end);
	fd = open_regular(path, NULL);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/root%s", pid, m->path);
	return open_regular(path, m);
}

int mapping_open(pid_t pid, unsigned long where, uint64_t *offset)
{
	struct mapping m;

	if (!find_mapping(pid, where, &m))
		return -1;
	*offset = where - m.start + m.offset;
	return open_mapping(pid, &m);
}
