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
static const struct unnamed *volatile unfinished;

static void remove_unfinished(int sig)
{
	const struct unnamed *file = unfinished;

	if (file)
		unlinkat(file->at.folder, file->beside, 0);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Such a file goes when the program is ended; what was ignored (nohup) stays so. */
static void watch(const struct unnamed *file)
{
	struct sigaction a = {.sa_handler = remove_unfinished}, old;

	unfinished = file;
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
	if (keep && unnamed_name(&f->file, NULL, true))
		error = errno;
	unnamed_close(&f->file);
	unfinished = NULL;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* ---- open and close ----------------------------------------------------------------------- */

static int cannot(const struct outfile *f, const char *what, int error, struct trawl_error *err)
{
	return trawl_fail(err, TRAWL_CANNOT, "-w %s: cannot be %s: %s", f->name, what,
			  destination_fault(error));
}

int outfile_open(struct outfile *f, const char *name, struct trawl_error *err)
{
	struct destination at;
	int why, fd;

	*f = (struct outfile){.name = name, .file = UNNAMED_NONE, .fd = STDOUT_FILENO};
	if (!strcmp(name, "-"))
		return 0;
	if (destination_find(&at, name, geteuid(), true))
		return cannot(f, "made", errno, err);
	fd = destination_open_special(&at, geteuid());
	if (fd == -1 && !unnamed_open(&f->file, &at))
		fd = f->file.fd;
	why = errno;
	destination_close(&at);
	if (fd < 0)
		return cannot(f, "made", why, err);
	if (f->file.beside)
		watch(&f->file);
	f->fd = fd;
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

	if (f->file.fd >= 0)
		late = finish(f, keep && !error);
	else if (f->fd != STDOUT_FILENO && close(f->fd))
		late = errno;
	if (!error)
		error = late;
	return keep && error ? cannot(f, "written", error, err) : 0;
}
