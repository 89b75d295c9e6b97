/* SPDX-License-Identifier: MIT */
#include "replay/filearray.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define STEP ((size_t)1 << 20) /* least number of bytes that a file grows by */

const char *scratch_folder(void)
{
	const char *t = getenv("TMPDIR");

	return t && *t ? t : "/tmp";
}

int scratch_file(void)
{
	int fd = open(scratch_folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	/* not every file system has O_TMPFILE */
	return fd >= 0 ? fd : memfd_create("trawl-replay", MFD_CLOEXEC);
}

int filearray_open(struct filearray *a)
{
	*a = (struct filearray){.fd = scratch_file()};
	return a->fd < 0 ? -1 : 0;
}

/*
 * Extends the file to these bytes, and allocates their blocks: a write to a mapped page without a
 * block on a full disk is a SIGBUS. Some file systems allocate blocks only when these are written.
 */
static bool extend(int fd, size_t at, size_t n)
{
	if (!fallocate(fd, 0, (off_t)at, (off_t)n))
		return true;
	return (errno == EOPNOTSUPP || errno == ENOSYS) && !ftruncate(fd, (off_t)(at + n));
}

bool filearray_reserve(struct filearray *a, size_t size)
{
	size_t room = a->room + a->room / 8;
	void *p;

	if (size <= a->room)
		return true;
	room = (room > size ? room : size) + STEP - 1;
	room -= room % STEP;
	if (!extend(a->fd, a->room, room - a->room))
		return false;
	p = a->p ? mremap(a->p, a->room, room, MREMAP_MAYMOVE)
		 : mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, a->fd, 0);
	if (p == MAP_FAILED)
		return false;
	a->p = p;
	a->room = a->end = room;
	return true;
}

bool filearray_beside(struct filearray *first, struct filearray *a, size_t size)
{
	size_t room = (size + STEP - 1) / STEP * STEP;
	void *p;

	*a = (struct filearray)FILEARRAY_NONE;
	if (!extend(first->fd, first->end, room))
		return false;
	p = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, first->fd, (off_t)first->end);
	if (p == MAP_FAILED)
		return false;
	*a = (struct filearray){.fd = first->fd, .borrowed = true, .p = p, .room = room};
	first->end += room;
	return true;
}

void filearray_release(const struct filearray *a)
{
	if (a->p)
		madvise(a->p, a->room, MADV_DONTNEED);
}

void filearray_close(struct filearray *a)
{
	if (a->p)
		munmap(a->p, a->room);
	if (a->fd >= 0 && !a->borrowed)
		close(a->fd);
	*a = (struct filearray)FILEARRAY_NONE;
}
