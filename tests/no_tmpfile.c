/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/no_tmpfile.h"

bool no_tmpfile, no_noreplace, no_link, no_rename;

/* openat() of libc, except for the missing features. */
int openat(int folder, const char *name, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	if (no_tmpfile && (flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return (int)syscall(SYS_openat, folder, name, flags, mode);
}

static int lacks(int error)
{
	errno = error;
	return -1;
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned int flags)
{
	if (no_rename || (no_noreplace && flags))
		return lacks(no_rename ? EIO : EINVAL);
	return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	return renameat2(from_dir, from, to_dir, to, 0);
}

/* Gives an unnamed file its first name. */
int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
	if (no_link && !(flags & AT_SYMLINK_FOLLOW))
		return lacks(EPERM);
	return (int)syscall(SYS_linkat, from_dir, from, to_dir, to, flags);
}
