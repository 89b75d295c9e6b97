/* SPDX-License-Identifier: MIT */
#include "decode/base/outfile.h"
#include "common/array.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a file with a temporary name --------------------------------------------------------- */

static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
#define NENDS ARRAY_SIZE(ends)

/* For the signal handler: the file to remove. */
static const struct outfile *volatile unfinished;

/* Makes the keeper drop the file, and waits until it is gone. */
static void drop_kept(const struct outfile *f)
{
	char answer;

	close(f->keeper[1]);
	while (read(f->keeper[0], &answer, 1) > 0)
		;
}

static void remove_unfinished(int sig)
{
	const struct outfile *f = unfinished;

	if (f && f->pid)
		drop_kept(f);
	else if (f)
		unlinkat(f->file.at.folder, f->file.beside, 0);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Removes the file if a signal ends the program. Ignored signals (nohup) stay ignored. */
static void watch(const struct outfile *f)
{
	struct sigaction a = {.sa_handler = remove_unfinished}, old;

	unfinished = f;
	for (size_t i = 0; i < NENDS; i++)
		if (!sigaction(ends[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(ends[i], &a, NULL);
}

/*
 * Names or drops the file. Signals are blocked, because the file may have a temporary name
 * meanwhile.
 */
static int finish_here(struct outfile *f, bool keep)
{
	int error = keep && unnamed_name(&f->file, NULL, true) ? errno : 0;

	unnamed_close(&f->file);
	return error;
}

/* The same by the keeper. A missing answer is an I/O error. */
static int finish_kept(struct outfile *f, bool keep)
{
	int error = EIO;

	/* If this fails, the keeper has ended, and no answer comes. */
	(void)!(keep && write(f->keeper[1], "", 1));
	close(f->keeper[1]);
	if (read(f->keeper[0], &error, sizeof(error)) != sizeof(error))
		error = EIO;
	close(f->keeper[0]);
	while (waitpid(f->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(f->file.beside); /* the keeper removes that file */
	f->file.beside = NULL;
	unnamed_close(&f->file);
	return error;
}

static int finish(struct outfile *f, bool keep)
{
	sigset_t set, before;
	int error;

	sigemptyset(&set);
	for (size_t i = 0; i < NENDS; i++)
		sigaddset(&set, ends[i]);
	sigprocmask(SIG_BLOCK, &set, &before);
	error = f->pid ? finish_kept(f, keep) : finish_here(f, keep);
	unfinished = NULL;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return error;
}

static int outfile_drop(struct outfile *f)
{
	finish(f, false);
	return -1;
}

/* ---- the keeper --------------------------------------------------------------------------- */

/* The keeper. Keeps only the file and its folder open, and ignores the terminal's signals. */
static void keep_file(struct outfile *f, int order, int answer) __attribute__((noreturn));
static void keep_file(struct outfile *f, int order, int answer)
{
	int mine[] = {f->file.fd, f->file.at.folder, order, answer}, error;
	char byte;
	ssize_t n;

	for (size_t i = 0; i < NENDS; i++)
		signal(ends[i], SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	/* closes the parent's pipes, so that their other ends see the parent's exit */
	for (int i = 0; i < 1024; i++)
		if (i != mine[0] && i != mine[1] && i != mine[2] && i != mine[3])
			close(i);
	while ((n = read(order, &byte, 1)) < 0 && errno == EINTR)
		;
	error = finish_here(f, n == 1);
	if (write(answer, &error, sizeof(error)) < 0)
		_exit(TRAWL_CANNOT);
	_exit(TRAWL_OK);
}

int outfile_keeper(struct outfile *f, struct trawl_error *err)
{
	int order[2], answer[2];

	if (f->file.fd < 0)
		return 0;
	if (pipe2(order, O_CLOEXEC)) {
		trawl_fail(err, TRAWL_CANNOT, "-w %s: %s", f->name, strerror(errno));
		return outfile_drop(f);
	}
	if (pipe2(answer, O_CLOEXEC)) {
		trawl_fail(err, TRAWL_CANNOT, "-w %s: %s", f->name, strerror(errno));
		close(order[0]);
		close(order[1]);
		return outfile_drop(f);
	}
	f->pid = fork();
	if (f->pid == 0)
		keep_file(f, order[0], answer[1]);
	close(order[0]);
	close(answer[1]);
	f->keeper[0] = answer[0];
	f->keeper[1] = order[1];
	if (f->pid > 0)
		return 0;
	f->pid = 0;
	trawl_fail(err, TRAWL_CANNOT, "-w %s: %s", f->name, strerror(errno));
	close(answer[0]);
	close(order[1]);
	return outfile_drop(f);
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

	*f = (struct outfile){.name = name,
			      .file = UNNAMED_NONE,
			      .fd = STDOUT_FILENO,
			      .keeper = {-1, -1}};
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
		watch(f);
	f->fd = fd;
	return 0;
}

/* Reports errors that the file system has delayed, such as a full disk. */
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

static bool is_empty(const struct outfile *f)
{
	struct stat st;

	return !fstat(f->fd, &st) && S_ISREG(st.st_mode) && !st.st_size;
}

int outfile_end(struct outfile *f, enum trawl_status status, struct trawl_error *err)
{
	bool saved = status == TRAWL_BAD_DATA && !is_empty(f);

	return outfile_close(f, !status || saved, err);
}
