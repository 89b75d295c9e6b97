/* SPDX-License-Identifier: MIT */
#include "decode/base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a file that must have a name --------------------------------------------------------- */

static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
#define NENDS (sizeof(ends) / sizeof(ends[0]))

/* The only thing that a signal handler can be told by. */
static const char *volatile unfinished;

static void remove_unfinished(int sig)
{
	const char *name = unfinished;

	if (name)
		unlink(name);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Such a file goes when the program is ended; what was ignored (nohup) stays so. */
static void watch(const char *name)
{
	struct sigaction a = {.sa_handler = remove_unfinished}, old;

	unfinished = name;
	for (size_t i = 0; i < NENDS; i++)
		if (!sigaction(ends[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(ends[i], &a, NULL);
}

/* Gives the file its name, or drops it; uninterrupted, for it may need another name meanwhile. */
static int finish(struct outfile *f, bool keep)
{
	sigset_t set, before;
	int error = 0;

	sigemptyset(&set);
	for (size_t i = 0; i < NENDS; i++)
		sigaddset(&set, ends[i]);
	sigprocmask(SIG_BLOCK, &set, &before);
	if (keep && unnamed_name(&f->file, f->path, true))
		error = errno;
	unnamed_close(&f->file);
	unfinished = NULL;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* ---- open and close ----------------------------------------------------------------------- */

static int cannot(struct outfile *f, const char *what, int error, struct trawl_error *err)
{
	free(f->path);
	f->path = NULL;
	if (error == EPERM)
		return trawl_fail(err, TRAWL_CANNOT, "-w %s: is a link of another user's, which is "
				  "not followed, or may not be written", f->name);
	return trawl_fail(err, TRAWL_CANNOT, "-w %s: cannot be %s: %s", f->name, what,
			  strerror(error));
}

int outfile_open(struct outfile *f, const char *name, struct trawl_error *err)
{
	struct stat st;

	*f = (struct outfile){.name = name, .file.fd = -1, .fd = STDOUT_FILENO};
	if (!strcmp(name, "-"))
		return 0;
	if (!stat(name, &st) && !S_ISREG(st.st_mode)) {
		f->fd = open(name, O_WRONLY | O_CLOEXEC);
		return f->fd < 0 ? cannot(f, "made", errno, err) : 0;
	}
	f->path = unnamed_target(name, geteuid());
	if (!f->path || unnamed_open(&f->file, f->path))
		return cannot(f, "made", errno, err);
	if (f->file.beside)
		watch(f->file.beside);
	f->fd = f->file.fd;
	return 0;
}

/* What the file system kept back until now: no space, for one. */
static int settle(const struct outfile *f)
{
	int copy = f->fd == STDOUT_FILENO ? -1 : dup(f->fd);

	return copy >= 0 && close(copy) ? errno : 0;
}

int outfile_close(struct outfile *f, bool keep, struct trawl_error *err)
{
	int error = keep ? settle(f) : 0, late = 0;

	if (f->path)
		late = finish(f, keep && !error);
	else if (f->fd != STDOUT_FILENO && close(f->fd))
		late = errno;
	if (!error)
		error = late;
	if (keep && error)
		return cannot(f, "written", error, err);
	free(f->path);
	f->path = NULL;
	return 0;
}
