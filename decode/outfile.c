/* SPDX-License-Identifier: MIT */
#include "decode/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot(struct outfile *f, const char *what, int error, struct trawl_error *err)
{
	free(f->path);
	free(f->temporary);
	f->path = f->temporary = NULL;
	return trawl_fail(err, TRAWL_CANNOT, "-w %s: cannot be %s: %s", f->name, what,
			  strerror(error));
}

int outfile_open(struct outfile *f, const char *name, struct trawl_error *err)
{
	struct stat st;
	bool there = stat(name, &st) == 0;

	*f = (struct outfile){.name = name, .fd = STDOUT_FILENO};
	if (!strcmp(name, "-"))
		return 0;
	if (there && !S_ISREG(st.st_mode)) {
		f->fd = open(name, O_WRONLY | O_CLOEXEC);
		return f->fd < 0 ? cannot(f, "made", errno, err) : 0;
	}
	f->path = there ? realpath(name, NULL) : strdup(name);
	if (!f->path)
		return cannot(f, "made", errno, err);
	if (asprintf(&f->temporary, "%s.XXXXXX", f->path) < 0) {
		f->temporary = NULL;
		return cannot(f, "made", ENOMEM, err);
	}
	f->fd = mkostemp(f->temporary, O_CLOEXEC); /* mode 0600 */
	return f->fd < 0 ? cannot(f, "made", errno, err) : 0;
}

int outfile_close(struct outfile *f, bool keep, struct trawl_error *err)
{
	int error = 0;

	if (f->fd != STDOUT_FILENO && close(f->fd))
		error = errno;
	if (f->path && keep && !error && rename(f->temporary, f->path))
		error = errno;
	if (f->path && (!keep || error))
		unlink(f->temporary);
	if (keep && error)
		return cannot(f, "written", error, err);
	free(f->path);
	free(f->temporary);
	f->path = f->temporary = NULL;
	return 0;
}
