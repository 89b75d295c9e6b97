/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/output/newfile.h"
#include "capture/output/output.h"
#include "common/array.h"
#include "common/branchrewrite.h"
#include "decode/base/time.h"

/* ---- names of files ---------------------------------------------------------------------- */

char *output_period(const struct options *o, int64_t now, struct trawl_error *err)
{
	time_t seconds = (time_t)now;
	char text[4096], *copy;
	struct tm tm;

	if (!o->rotate_time) {
		copy = strdup(o->write);
	} else if (!localtime_r(&seconds, &tm) || !strftime(text, sizeof(text), o->write, &tm)) {
		trawl_fail(err, TRAWL_USAGE,
			   "-w %s: its conversions make no name; use those of strftime()",
			   o->write);
		return NULL;
	} else {
		copy = strdup(text);
	}
	if (!copy)
		trawl_fail(err, TRAWL_CANNOT, "out of memory");
	return copy;
}

/*
 * -C appends a number from the second file on, or, with -W, from the first on and with leading
 * zeros, so that the names sort. A name that ends in .trawl still does.
 */
char *output_name(const struct options *o, const char *period, uint32_t size_count, uint32_t again,
		  struct trawl_error *err)
{
	char number[16] = "", suffix[16] = "", *name;
	int digits = 0;
	size_t stem;

	for (uint32_t most = o->rotate_bytes && o->rotate_files ? o->rotate_files - 1 : 0; most;
	     most /= 10)
		digits++;
	if (o->rotate_bytes && (size_count || digits))
		snprintf(number, sizeof(number), "%0*u", digits, size_count);
	if (again)
		snprintf(suffix, sizeof(suffix), ".%u", again);
	stem = newfile_stem(period);
	if (asprintf(&name, "%.*s%s%s%s", (int)stem, period, number, suffix, period + stem) >= 0)
		return name;
	trawl_fail(err, TRAWL_CANNOT, "out of memory");
	return NULL;
}

/* The name of the file that begins now, with a new period of -G or in the present one. */
static int next_name(struct output *out, bool new_period, int64_t begin, struct trawl_error *err)
{
	if (new_period) {
		char *period = output_period(out->o, begin, err);

		if (!period)
			return -1;
		out->again = out->period && !strcmp(period, out->period) ? out->again + 1 : 0;
		free(out->period);
		out->period = period;
	}
	free(out->path);
	out->path = output_name(out->o, out->period, out->size_count, out->again, err);
	return out->path ? 0 : -1;
}

/* ---- files ------------------------------------------------------------------------------- */

static int fail_open(const struct output *out, struct trawl_error *err)
{
	const struct user *u = out->user;
	const char *why = destination_fault(errno);
	char id[32] = "";

	if (errno != EACCES && errno != EPERM)
		return trawl_fail(err, TRAWL_USAGE, "-w %s: %s", out->path, why);
	if (!u->other)
		return trawl_fail(err, TRAWL_CANNOT, "-w %s: %s", out->path, why);
	/* root would not expect a denial: the message names the user */
	if (!u->name)
		snprintf(id, sizeof(id), "user %u", (unsigned int)u->uid);
	return trawl_fail(err, TRAWL_CANNOT,
			  "-w %s: %s for %s, who would own the file; name a folder of theirs, or "
			  "give -Z root",
			  out->path, why, u->name ? u->name : id);
}

/*
 * Makes an unnamed file that will take the name; returns another descriptor of it for the writer.
 */
static int open_new(struct output *out)
{
	int fd;

	if (unnamed_open(&out->file, &out->at))
		return -1;
	fd = fcntl(out->file.fd, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		unnamed_close(&out->file);
	return fd;
}

/*
 * If no file can be made, an existing one is written in place, from output_commit() on. Returns the
 * descriptor of a file in memory for the time before, or -1.
 */
static int open_in_place(struct output *out)
{
	const int flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = openat(out->at.folder, out->at.name, flags), memory;
	struct stat st;

	if (fd < 0)
		return -1;
	memory = fstat(fd, &st) || !S_ISREG(st.st_mode) ? -1 :
		 memfd_create("trawl", MFD_CLOEXEC);
	if (memory < 0)
		close(fd);
	else
		out->in_place = fd;
	return memory;
}

int output_folder(const struct output *out)
{
	struct destination at;
	int fd;

	if (!out->path || !strcmp(out->path, "-") ||
	    destination_find(&at, out->path, out->user->uid, true))
		return -1;
	fd = fcntl(at.folder, F_DUPFD_CLOEXEC, 3);
	destination_close(&at);
	return fd;
}

/*
 * Each capture holds a lock on its file. Only the first file is checked: the other names of a row
 * are this capture's own.
 */
int output_check(const struct output *out, struct trawl_error *err)
{
	const struct destination *at = out->file.fd >= 0 ? &out->file.at : &out->at;
	int fd, r = 0;

	if (at->folder < 0 || out->in_place >= 0 || out->size_count || out->time_count)
		return 0; /* written in place: this capture has the lock */
	fd = openat(at->folder, at->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK)
		r = trawl_fail(err, TRAWL_USAGE,
			       "-w %s: another capture is writing to it; give another "
			       "name, or end that one first",
			       out->path);
	if (fd >= 0)
		close(fd);
	return r;
}

/*
 * Locks the file for output_check() of other captures. Ignores file systems without locks. Fails if
 * another program has locked the file that is to be written in place.
 */
static int lock(const struct output *out, int fd, struct trawl_error *err)
{
	if (!flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
		return 0;
	return trawl_fail(err, TRAWL_USAGE, "-w %s: another program has locked it; give another "
			  "name, or end that one first", out->path);
}

static int open_file(struct output *out, struct trawl_error *err)
{
	int fd, denied;

	if (output_check(out, err))
		return -1;
	fd = open_new(out);
	denied = errno;
	if (fd < 0)
		fd = open_in_place(out);
	errno = denied;
	if (fd < 0)
		return fail_open(out, err);
	if (!lock(out, out->in_place >= 0 ? out->in_place : fd, err))
		return fd;
	close(fd);
	return -1;
}

/*
 * Opens out->path, as the user. A link or special file is used only if the user has named it:
 * others can predict the names of later files in a row, so whatever has such a name is replaced.
 */
static int open_path(struct output *out, bool named, struct trawl_error *err)
{
	struct user_rights rights;
	int fd = -1;

	if (user_enter(out->user, &rights, err))
		return -1;
	if (destination_find(&out->at, out->path, out->user->uid, named)) {
		fail_open(out, err);
		goto out;
	}
	fd = named ? destination_open_special(&out->at, out->user->uid) : -1;
	if (fd == -1)
		fd = open_file(out, err);
	else if (fd < 0)
		fail_open(out, err);
out:
	destination_close(&out->at);
	user_leave(out->user, &rights);
	return fd < 0 ? -1 : fd;
}

/* ---- files deleted by others -------------------------------------------------------------- */

/*
 * Opens the file, which now has its name, for output_is_deleted(): with O_PATH, which takes no
 * lock.
 */
static void watch(struct output *out, int fd)
{
	char path[32];

	if (out->named >= 0)
		close(out->named);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	out->named = open(path, O_PATH | O_CLOEXEC);
	free(out->named_path);
	out->named_path = strdup(out->path);
}

static void forget(struct output *out)
{
	if (out->named >= 0)
		close(out->named);
	out->named = -1;
	free(out->named_path);
	out->named_path = NULL;
}

bool output_is_deleted(const struct output *out)
{
	struct stat st;

	return out->named >= 0 && !fstat(out->named, &st) && !st.st_nlink;
}

/* Appends the contents of a deleted file to `to`. Returns 0, or -1 with errno. */
static int copy(int named, int to)
{
	char path[32], buffer[64 << 10];
	ssize_t n, done;
	int from;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", named);
	from = open(path, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		return -1;
	while ((n = read(from, buffer, sizeof(buffer))) > 0) {
		for (ssize_t at = 0; at < n; at += done) {
			done = write(to, buffer + at, (size_t)(n - at));
			if (done < 0) {
				n = -1;
				break;
			}
		}
		if (n < 0)
			break;
	}
	close(from);
	return n < 0 ? -1 : 0;
}

/* Writes the deleted file once more, into a new file. */
static int write_again(struct output *out, struct newfile *f, struct trawl_error *err)
{
	struct user_rights rights;
	int r;

	if (user_enter(out->user, &rights, err))
		return -1;
	r = copy(out->named, f->file.fd);
	if (r)
		trawl_fail(err, TRAWL_CANNOT, "%s", strerror(errno));
	user_leave(out->user, &rights);
	return r ? r : newfile_commit(f, out->user, err);
}

int output_restore(struct output *out, struct trawl_error *err)
{
	const char *path = out->named_path ? out->named_path : "output";
	bool deleted = output_is_deleted(out);
	struct trawl_error why;
	struct newfile f;
	int r;

	if (deleted) {
		r = newfile_open(&f, path, out->user, &why) ? -1 : write_again(out, &f, &why);
		if (r)
			trawl_fail(err, TRAWL_BAD_DATA, "-w %s: was deleted during the capture "
							"and cannot be written again; it is lost: "
							"%.400s", path,
				   why.text);
		else
			trawl_fail(err, TRAWL_BAD_DATA, "-w %s: was deleted during the capture; "
							"all of it is in %s now", path, f.path);
		newfile_close(&f, out->user);
	}
	forget(out);
	return deleted;
}

/* Whether the file still has its name, and a new file would get the same owner and mode. */
static bool is_replaceable(const struct output *out, const struct unnamed *by)
{
	struct stat st, there, new;

	return !fstat(out->named, &st) && !fstat(by->fd, &new) &&
	       !fstatat(by->at.folder, by->at.name, &there, AT_SYMLINK_NOFOLLOW) &&
	       st.st_dev == there.st_dev && st.st_ino == there.st_ino && st.st_nlink == 1 &&
	       st.st_uid == new.st_uid && st.st_gid == new.st_gid && st.st_mode == new.st_mode;
}

/*
 * Writes the capture to `to`, an empty file, with best compression. Returns false if that is no
 * smaller.
 */
static bool write_smaller(int named, int to)
{
	char path[32];
	struct stat st;
	bool joined = false, copied = false;
	int from;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", named);
	from = open(path, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		return false;
	joined = branch_rewrite(from, to);
	if (!joined && !fstat(from, &st) && st.st_size <= TRAWL_SMALL_MOST)
		copied = !ftruncate(to, 0) && !lseek(to, 0, SEEK_SET) && !copy(named, to);
	close(from);
	return ((joined || copied) && trawl_make_small(to)) || joined;
}

void output_make_small(struct output *out)
{
	struct unnamed small = UNNAMED_NONE;
	struct destination at = DESTINATION_NONE;
	struct user_rights rights;
	struct trawl_error ignored;

	if (out->named < 0 || !out->named_path || user_enter(out->user, &rights, &ignored))
		return;
	if (!destination_find(&at, out->named_path, out->user->uid, false) &&
	    !unnamed_open(&small, &at) && is_replaceable(out, &small) &&
	    write_smaller(out->named, small.fd) &&
	    !unnamed_name(&small, NULL, true))
		watch(out, small.fd);
	unnamed_close(&small);
	destination_close(&at);
	user_leave(out->user, &rights);
}

/* Drops the unnamed file: the present file will get no name. */
static void drop_pending(struct output *out)
{
	unnamed_close(&out->file);
	if (out->in_place >= 0)
		close(out->in_place);
	out->in_place = -1;
}

int output_commit(struct output *out, struct trawl_error *err)
{
	struct user_rights rights;
	int r = 0;

	if (out->in_place >= 0) {
		r = out->in_place;
		out->in_place = -1;
		watch(out, r);
		return ftruncate(r, 0) ? fail_open(out, err) : r;
	}
	if (out->file.fd < 0)
		return 0;
	if (output_check(out, err) || user_enter(out->user, &rights, err))
		return -1;
	r = unnamed_name(&out->file, NULL, true);
	if (r)
		fail_open(out, err);
	else
		watch(out, out->file.fd);
	drop_pending(out);
	user_leave(out->user, &rights);
	return r;
}

int output_next(struct output *out, enum output_rotation why, int64_t begin,
		struct trawl_error *err)
{
	const struct options *o = out->o;

	if (why == OUTPUT_BY_TIME) {
		out->time_count++;
		if (!o->rotate_bytes && o->rotate_files && out->time_count >= o->rotate_files)
			return -2;
		out->size_count = 0;
	} else {
		out->size_count++;
		if (o->rotate_files && out->size_count >= o->rotate_files) {
			out->size_count = 0;
			out->wrapped = true;
		}
	}
	return next_name(out, why == OUTPUT_BY_TIME, begin, err) ? -1 : open_path(out, false, err);
}

/* ---- the printer ------------------------------------------------------------------------- */

/*
 * Without -w, events go to trawl-decode through a pipe, in the format of a file. Printing them in
 * the recorder would save the encoding, but the recorder would then
 *
 *	wait for the terminal, at real-time priority, while its ring buffers overrun;
 *	decode hostile bytes with the rights to trace; trawl-decode runs as the user, in a sandbox;
 *	need the reader's order of events, times by the later clock sync and metadata of tasks, all of
 *	which decode/query/ makes of a stream of blocks.
 *
 * It would also be a second way to print, whose lines must equal those of trawl-decode. Reading the
 * blocks is a quarter of what trawl-decode does for an event with one text.
 */

/* Returns the path of trawl-decode, beside this program or where it is installed; malloc'd. */
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
	static const char *const styles[] = { "-t", "-tt", "-ttt", "-tttt", "-ttttt", "-tm" };

	static_assert((int)TIME_STYLES_COUNTED == (int)TIME_COUNTED &&
			      (int)TIME_STYLE_MONOTONIC == (int)TIME_MONOTONIC &&
			      ARRAY_SIZE(styles) == TIME_STYLE_MONOTONIC,
		      "as in trawl-decode");
	const char *argv[16];
	sigset_t none;
	size_t n = 0;

	argv[n++] = "trawl-decode";
	if (o->json)
		argv[n++] = "--json";
	if (o->time_style)
		argv[n++] = styles[o->time_style - 1];
	argv[n++] = "-";
	argv[n] = NULL;
	/* trawl handles interrupts; the printer continues until it has printed everything. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(in, 0) < 0 || user_become(user))
		_exit(126);
	execv(path, (char **)argv);
	dprintf(2, "trawl: %s: %s: cannot print events; write them with -w FILE\n", path,
		strerror(errno));
	_exit(127);
}

static int open_printer(struct output *out, struct trawl_error *err)
{
	char *path = find_decoder();
	int fds[2] = { -1, -1 }, fd = -1;

	if (!path || access(path, X_OK)) {
		trawl_fail(err, TRAWL_CANNOT,
			   "%s: not found, so events cannot be printed; write them with -w FILE",
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
				  "-w -: standard output is a terminal; name a file, pipe it, or "
				  "omit -w to print events");
	fd = fcntl(1, F_DUPFD_CLOEXEC, 3);
	return fd < 0 ? trawl_fail(err, TRAWL_CANNOT, "standard output: %s", strerror(errno)) : fd;
}

int output_open(struct output *out, const struct options *o, const struct user *user,
		struct trawl_error *err)
{
	*out = (struct output)OUTPUT_NONE;
	out->o = o;
	out->user = user;
	if (!o->write)
		return open_printer(out, err);
	if (!strcmp(o->write, "-"))
		return open_stdout(err);
	return next_name(out, true, time(NULL), err) ? -1 : open_path(out, true, err);
}

/* Converts the printer's exit status. It is no failure if the reader of its output has exited. */
static int judge_printer(int status, struct trawl_error *err)
{
	static const char hint[] = "events were not printed; write them with -w FILE";

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

	if (out->user && !user_enter(out->user, &rights, &ignored)) {
		drop_pending(out);
		user_leave(out->user, &rights);
	}
	forget(out);
	free(out->period);
	free(out->path);
	if (out->printer > 0) {
		while (waitpid(out->printer, &status, 0) < 0 && errno == EINTR)
			;
	}
	*out = (struct output)OUTPUT_NONE;
	return judge_printer(status, err);
}
