/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "output.h"

/* ---- names of files ---------------------------------------------------------------------- */

/*
 * As tcpdump: -G expands strftime's conversions; -C appends a number from the second file on, or,
 * with -W, from the first on and with leading zeros, so that the names sort.
 */
char *output_name(const struct options *o, uint32_t size_count, int64_t now,
		  struct trawl_error *err)
{
	char base[4096], *name = NULL;
	time_t seconds = (time_t)now;
	struct tm tm;
	int digits = 0, n;

	if (o->rotate_seconds) {
		if (!localtime_r(&seconds, &tm) || !strftime(base, sizeof(base), o->write, &tm)) {
			trawl_fail(err, TRAWL_USAGE, "-w %s: no name comes out of this", o->write);
			return NULL;
		}
	} else if ((size_t)snprintf(base, sizeof(base), "%s", o->write) >= sizeof(base)) {
		trawl_fail(err, TRAWL_USAGE, "-w: the name is too long");
		return NULL;
	}
	for (uint32_t most = o->rotate_bytes && o->rotate_files ? o->rotate_files - 1 : 0; most;
	     most /= 10)
		digits++;
	if (o->rotate_bytes && (size_count || digits))
		n = asprintf(&name, "%s%0*u", base, digits, size_count);
	else
		n = asprintf(&name, "%s", base);
	if (n < 0) {
		trawl_fail(err, TRAWL_CANNOT, "out of memory");
		return NULL;
	}
	return name;
}

/* ---- files ------------------------------------------------------------------------------- */

static int fail_open(const char *path, struct trawl_error *err)
{
	return trawl_fail(err, errno == EACCES || errno == EPERM ? TRAWL_CANNOT : TRAWL_USAGE,
			  "-w %s: %s", path, strerror(errno));
}

/* Is there something at path that must be written in place: a pipe, a terminal, /dev/null? */
static bool is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

/* Opens a new file beside path; its name goes to *temporary. -1 with errno. */
static int open_beside(const char *path, char **temporary)
{
	int fd;

	if (asprintf(temporary, "%s.%d~", path, getpid()) < 0) {
		*temporary = NULL;
		return -1;
	}
	fd = open(*temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		free(*temporary);
		*temporary = NULL;
	}
	return fd;
}

/* Opens out->path, as the user; beside it first if `careful`. */
static int open_path(struct output *out, bool careful, struct trawl_error *err)
{
	struct user_rights rights;
	int fd = -1;

	if (user_enter(out->user, &rights, err))
		return -1;
	if (careful && !is_special(out->path)) {
		/* A link stays a link: what it points to is replaced. */
		char *real = realpath(out->path, NULL);

		if (real) {
			free(out->path);
			out->path = real;
		}
		fd = open_beside(out->path, &out->temporary);
	}
	/* Where no file can be made, one that is there may still be written. */
	if (fd < 0)
		fd = open(out->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		fail_open(out->path, err);
	user_leave(out->user, &rights);
	return fd;
}

int output_commit(struct output *out, struct trawl_error *err)
{
	struct user_rights rights;
	int r;

	if (!out->temporary)
		return 0;
	if (user_enter(out->user, &rights, err))
		return -1;
	r = rename(out->temporary, out->path);
	if (r)
		fail_open(out->path, err);
	else {
		free(out->temporary);
		out->temporary = NULL;
	}
	user_leave(out->user, &rights);
	return r;
}

int output_next(struct output *out, enum output_turn turn, struct trawl_error *err)
{
	const struct options *o = out->o;

	if (turn == OUTPUT_BY_TIME) {
		out->time_count++;
		if (!o->rotate_bytes && o->rotate_files && out->time_count >= o->rotate_files)
			return -2;
		out->size_count = 0;
	} else {
		out->size_count++;
		if (o->rotate_files && out->size_count >= o->rotate_files)
			out->size_count = 0;
	}
	free(out->path);
	out->path = output_name(o, out->size_count, time(NULL), err);
	return out->path ? open_path(out, false, err) : -1;
}

/* ---- the printer ------------------------------------------------------------------------- */

/* trawl-decode beside this program, or where it is installed; malloc'd. */
static char *find_decoder(void)
{
	char self[4096], *path = NULL, *slash;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n > 0) {
		self[n] = '\0';
		slash = strrchr(self, '/');
		if (asprintf(&path, "%.*s/trawl-decode", (int)(slash - self), self) >= 0 &&
		    !access(path, X_OK))
			return path;
		free(path);
	}
	return asprintf(&path, "%s/trawl-decode", BINDIR) < 0 ? NULL : path;
}

static void run_decoder(const struct options *o, const struct user *user, const char *path, int in)
{
	static const char *const styles[] = { "-t", "-tt", "-ttt", "-tttt" };
	const char *argv[16];
	sigset_t none;
	size_t n = 0;

	argv[n++] = "trawl-decode";
	if (o->json)
		argv[n++] = "--json";
	if (o->time_style)
		argv[n++] = styles[o->time_style > 4 ? 3 : o->time_style - 1];
	argv[n++] = "-";
	argv[n] = NULL;
	/* An interrupt is for trawl; the printer goes on until it has printed all. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(in, 0) < 0 || user_become(user))
		_exit(126);
	execv(path, (char **)argv);
	dprintf(2, "trawl: %s: %s: cannot print events: write them with -w FILE\n", path,
		strerror(errno));
	_exit(127);
}

static int open_printer(struct output *out, struct trawl_error *err)
{
	char *path = find_decoder();
	int fds[2] = { -1, -1 }, fd = -1;

	if (!path || access(path, X_OK)) {
		trawl_fail(err, TRAWL_CANNOT,
			   "%s: not there, so events cannot be printed: write them with -w FILE",
			   path ? path : "trawl-decode");
		goto out;
	}
	if (pipe2(fds, O_CLOEXEC)) {
		trawl_fail(err, TRAWL_CANNOT, "cannot make a pipe: %s", strerror(errno));
		goto out;
	}
	out->printer = fork();
	if (!out->printer)
		run_decoder(out->o, out->user, path, fds[0]);
	close(fds[0]);
	fd = fds[1];
	if (out->printer < 0) {
		out->printer = 0;
		close(fd);
		fd = trawl_fail(err, TRAWL_CANNOT, "cannot start %s: %s", path, strerror(errno));
	}
out:
	free(path);
	return fd;
}

/* ---- all kinds --------------------------------------------------------------------------- */

static int open_stdout(struct trawl_error *err)
{
	int fd;

	if (isatty(1))
		return trawl_fail(err, TRAWL_USAGE,
				  "-w -: standard output is a terminal: name a file, pipe it, or leave "
				  "-w away to see events");
	fd = fcntl(1, F_DUPFD_CLOEXEC, 3);
	return fd < 0 ? trawl_fail(err, TRAWL_CANNOT, "standard output: %s", strerror(errno)) : fd;
}

int output_open(struct output *out, const struct options *o, const struct user *user,
		struct trawl_error *err)
{
	*out = (struct output){ .o = o, .user = user };
	if (!o->write)
		return open_printer(out, err);
	if (!strcmp(o->write, "-"))
		return open_stdout(err);
	out->path = output_name(o, 0, time(NULL), err);
	return out->path ? open_path(out, true, err) : -1;
}

/* How the printer ended. That nobody reads what it prints any more is no failure of it. */
static int judge_printer(int status, struct trawl_error *err)
{
	static const char hint[] = "events were not printed: write them with -w FILE";

	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGPIPE)
		return trawl_fail(err, TRAWL_CANNOT, "trawl-decode was killed by SIG%s: %s",
				  sigabbrev_np(WTERMSIG(status)), hint);
	if (!WIFEXITED(status) || WEXITSTATUS(status) <= TRAWL_BAD_DATA)
		return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	return trawl_fail(err, TRAWL_CANNOT, "trawl-decode ended with status %d: %s",
			  WEXITSTATUS(status), hint);
}

int output_close(struct output *out, struct trawl_error *err)
{
	struct user_rights rights;
	struct trawl_error ignored;
	int status = 0;

	if (out->temporary && !user_enter(out->user, &rights, &ignored)) {
		unlink(out->temporary);
		user_leave(out->user, &rights);
	}
	free(out->temporary);
	free(out->path);
	if (out->printer > 0) {
		while (waitpid(out->printer, &status, 0) < 0 && errno == EINTR)
			;
	}
	*out = (struct output){ 0 };
	return judge_printer(status, err);
}
