// SPDX-License-Identifier: MIT
#include "config.h"

#include "uprobe/boundary.h"
#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "uprobe/function.h"

/* A mapping of a file with code. */
struct mapping {
	uint64_t start, end, offset;
	dev_t device;
	ino_t inode;
	char path[4096];
};

static bool find_mapping(pid_t pid, uint64_t where, struct mapping *m)
{
	unsigned major, minor;
	char line[4400], name[32];
	uint64_t inode;
	bool found = false;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	maps = fopen(name, "re");
	while (maps && !found && fgets(line, sizeof(line), maps))
		found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64 " %4095[^\n]", &m->start,
			       &m->end, &m->offset, &major, &minor, &inode, m->path) == 7 &&
			m->start <= where && where < m->end && *m->path == '/';
	if (maps)
		fclose(maps);
	m->device = found ? makedev(major, minor) : 0;
	m->inode = found ? inode : 0;
	return found;
}

static bool is_mapped(int fd, const struct mapping *m)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_dev == m->device &&
	       status.st_ino == m->inode;
}

/* What is mapped itself; or, for who may not open that, the file of that name if it is still the same one. */
static int open_mapping(pid_t pid, const struct mapping *m)
{
	char path[sizeof(m->path) + 64];
	int fd, place;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, m->start, m->end);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/root%s", pid, m->path);
	place = open(path, O_PATH | O_CLOEXEC);
	if (place >= 0 && is_mapped(place, m)) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (place >= 0)
		close(place);
	return fd;
}

/* Decodes from `at` on, offsets in the file: in memory other breakpoints would be in the way. */
static bool decode(int fd, uint64_t at, uint64_t where, uint64_t *begin)
{
	unsigned char bytes[4096];
	uint64_t from = at;
	ssize_t n = 0;
	ZydisDecoder decoder;

	if (ZYAN_FAILED(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
		return false;
	while (at < where) {
		ZydisDecodedInstruction insn;

		if (at + ZYDIS_MAX_INSTRUCTION_LENGTH > from + (uint64_t)n) {
			n = pread(fd, bytes, sizeof(bytes), (off_t)at);
			from = at;
		}
		if (n <= 0 || at - from >= (uint64_t)n ||
		    ZYAN_FAILED(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes + (at - from),
							      (ZyanUSize)n - (at - from), &insn)))
			return false;
		*begin = at;
		at += insn.length;
	}
	return at > where;
}

bool boundary_in_file(int fd, uint64_t where, uint64_t *begin)
{
	uint64_t start;

	return function_at(fd, where, &start) && where - start <= BOUNDARY_CODE_MAX && decode(fd, start, where, begin);
}

bool boundary_inside(pid_t pid, unsigned long where, unsigned long *begin)
{
	struct mapping m;
	int fd = find_mapping(pid, where, &m) ? open_mapping(pid, &m) : -1;
	uint64_t offset, at;
	bool inside;

	if (fd < 0)
		return false;
	offset = where - m.start + m.offset;
	inside = boundary_in_file(fd, offset, &at);
	if (inside)
		*begin = where - (offset - at);
	close(fd);
	return inside;
}
#else
bool boundary_inside(pid_t pid, unsigned long where, unsigned long *begin)
{
	(void)pid, (void)where, (void)begin;
	return false;
}

bool boundary_in_file(int fd, uint64_t where, uint64_t *begin)
{
	(void)fd, (void)where, (void)begin;
	return false;
}
#endif
