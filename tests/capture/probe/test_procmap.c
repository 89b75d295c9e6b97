/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/probe/procmap.h"

enum { NOBODY = 65534 };

/* Maps a page of code of a new file, and returns the file's descriptor. */
static int map_code(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	cr_assert_eq(ftruncate(fd, 4096), 0);
	cr_assert_neq(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0), MAP_FAILED);
	return fd;
}

/* The number of the own process's mapped files of this path; *missed as procmap_open() has it. */
static size_t count(const char *path, size_t *missed)
{
	struct mapped_file *files;
	struct trawl_error err;
	size_t n, found = 0;

	if (procmap_open(getpid(), &files, &n, missed, &err))
		return SIZE_MAX;
	for (size_t i = 0; i < n; i++)
		found += !strcmp(files[i].path, path);
	procmap_free(files, n);
	return found;
}

/*
 * Without privileges, /proc/PID/map_files cannot be followed: a file is opened by its path, unless
 * another file is there by now. Returns what is wrong, for the exit status.
 */
static int as_nobody(const char *path, const char *other)
{
	size_t before, after;

	if (setgid(NOBODY) || setuid(NOBODY) || prctl(PR_SET_DUMPABLE, 1))
		return 1;
	if (count(path, &before) != 1)
		return 2;
	if (rename(other, path))
		return 3;
	/* the kernel calls the old one deleted then, whose path is not tried */
	return count(path, &after) ? 4 : after == before + 1 ? 0 : 5;
}

Test(procmap, without_privileges_a_file_is_opened_by_its_path)
{
	char folder[] = "/tmp/trawl-procmap-XXXXXX", path[64], other[64];
	int status;
	pid_t pid;

	if (geteuid())
		cr_skip_test("only root can become nobody");
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(chown(folder, NOBODY, NOBODY), 0);
	snprintf(path, sizeof(path), "%s/code", folder);
	snprintf(other, sizeof(other), "%s/other", folder);
	close(map_code(path));
	close(open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
	pid = fork();
	if (!pid)
		_exit(as_nobody(path, other));
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(status, 0, "%x", (unsigned int)status);
	unlink(path);
	unlink(other);
	rmdir(folder);
}
