/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/session/command.h"
#include "common/array.h"

enum { GRACE_MS = 1000, NAMED_MOST = 64 };

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) &&
	       !faccessat(AT_FDCWD, path, X_OK, AT_EACCESS);
}

/* Writes the path of the program of that name, as execvp() would find it; false: there is none. */
static bool find_in_path(const char *name, char path[PATH_MAX])
{
	const char *dirs = getenv("PATH"), *next;

	for (const char *dir = dirs ? dirs : "/bin:/usr/bin"; dir; dir = next) {
		const char *end = strchrnul(dir, ':');
		int len;

		next = *end ? end + 1 : NULL;
		len = snprintf(path, PATH_MAX, "%.*s%s%s", (int)(end - dir), dir,
			       end > dir ? "/" : "./", name);
		if (len < PATH_MAX && is_program(path))
			return true;
	}
	return false;
}

static int find_program(const char *name, char path[PATH_MAX], struct trawl_error *err)
{
	struct stat st;

	if (!strchr(name, '/'))
		return find_in_path(name, path) ? 0 :
						  trawl_fail(err, TRAWL_USAGE,
							     "%s: command not found in $PATH", name);
	if (snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && is_program(name))
		return 0;
	if (stat(name, &st))
		return trawl_fail(err, TRAWL_USAGE, "%s: command not found: %s", name,
				  strerror(errno));
	return trawl_fail(err, TRAWL_USAGE, "%s: %s", name,
			  S_ISDIR(st.st_mode) ? "is a directory, not a command" :
						"is not executable: chmod +x it");
}

/* Returns the descriptor that a word of COMMAND names, as shells write <(...); -1: none. */
static int named_fd(const char *word)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		size_t len = strlen(folders[i]);

		if (!strncmp(word, folders[i], len) && isdigit((unsigned char)word[len]))
			return atoi(word + len);
	}
	return -1;
}

/*
 * COMMAND keeps 0, 1, 2 and the inherited descriptors that its own words name. The others are
 * closed, as sudo does: trawl's caller may be root while COMMAND runs as another user.
 */
static void keep_descriptors(char **argv)
{
	int kept[NAMED_MOST], n = 0;

	for (; *argv && n < NAMED_MOST; argv++) {
		int fd = named_fd(*argv);

		if (fd > 2 && fcntl(fd, F_GETFD) == 0)
			kept[n++] = fd;
	}
	close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
	while (n--)
		fcntl(kept[n], F_SETFD, 0);
}

/*
 * In the child: becomes the user, waits for a byte, calls exec. From the byte on it is recorded as
 * COMMAND, so there is as little as possible in between. Never returns.
 */
static void run(const char *path, char **argv, const struct user *user, int go, int report,
		bool stdout_to_stderr)
{
	sigset_t none;
	char word;
	int failure = 0;

	sigemptyset(&none);
	signal(SIGPIPE, SIG_DFL);
	keep_descriptors(argv);
	if (user_become(user) || (stdout_to_stderr && dup2(2, 1) != 1))
		failure = errno;
	if (read(go, &word, 1) != 1) /* trawl has ended, or closed the pipe */
		_exit(0);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (!failure) {
		execvp(path, argv);
		if (!strchr(argv[0], '/')) /* the user may not run the first one in $PATH */
			execvp(argv[0], argv);
		failure = errno;
	}
	(void)!write(report, &failure, sizeof(failure));
	_exit(127);
}

int command_prepare(struct command *c, char **argv, const struct user *user, bool stdout_to_stderr,
		    struct trawl_error *err)
{
	int go[2] = { -1, -1 }, report[2] = { -1, -1 };
	char path[PATH_MAX];

	*c = (struct command){ .name = argv[0], .pidfd = -1, .go = -1, .report = -1 };
	if (find_program(argv[0], path, err))
		return -1;
	if (pipe2(go, O_CLOEXEC) || pipe2(report, O_CLOEXEC)) {
		trawl_fail(err, TRAWL_CANNOT, "cannot make a pipe: %s", strerror(errno));
		goto fail;
	}
	c->pid = fork();
	if (!c->pid) {
		close(go[1]);
		close(report[0]);
		run(path, argv, user, go[0], report[1], stdout_to_stderr);
	}
	if (c->pid < 0) {
		c->pid = 0;
		trawl_fail(err, TRAWL_CANNOT, "cannot start %s: %s", argv[0], strerror(errno));
		goto fail;
	}
	close(go[0]);
	close(report[1]);
	c->go = go[1];
	c->report = report[0];
	c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	if (c->pidfd < 0)
		return trawl_fail(err, TRAWL_CANNOT, "cannot watch %s: %s (Linux 5.3 is needed)",
				  argv[0], strerror(errno));
	return 0;
fail:
	for (int i = 0; i < 2; i++) {
		if (go[i] >= 0)
			close(go[i]);
		if (report[i] >= 0)
			close(report[i]);
	}
	return -1;
}

/* Notes the program right after exec: it may call exec again, or end, at any time. */
static void note_exe(struct command *c)
{
	char path[32];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", c->pid);
	n = readlink(path, c->exe, sizeof(c->exe) - 1);
	c->exe[n > 0 ? n : 0] = '\0';
}

int command_go(struct command *c, struct trawl_error *err)
{
	ssize_t n = write(c->go, "g", 1);
	int failure = 0;

	close(c->go);
	c->go = -1;
	if (n == 1)
		n = read(c->report, &failure, sizeof(failure));
	close(c->report);
	c->report = -1;
	if (!n)
		note_exe(c);
	if (n == sizeof(failure))
		return trawl_fail(err, failure == EACCES ? TRAWL_CANNOT : TRAWL_USAGE,
				  "%s: cannot be run: %s", c->name, strerror(failure));
	return 0;
}

bool command_reap(struct command *c)
{
	int status;

	if (c->reaped)
		c->ended = true;
	/* If a thread of this process traces COMMAND, its stops come here, too. */
	if (c->pid && !c->ended && waitpid(c->pid, &status, WNOHANG) == c->pid &&
	    (WIFEXITED(status) || WIFSIGNALED(status))) {
		c->status = status;
		c->ended = true;
	}
	return c->ended;
}

/* A shell ends with 128 + N if signal N ended its last command. */
static bool is_crash_status(int status)
{
	static const int crashes[] = { SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS };

	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		if (status == 128 + crashes[i])
			return true;
	return false;
}

int command_killed(const struct command *c)
{
	return c->ended && WIFSIGNALED(c->status) ? WTERMSIG(c->status) : 0;
}

bool command_crashed(const struct command *c)
{
	int sig = command_killed(c);

	if (c->ended && WIFEXITED(c->status))
		return is_crash_status(WEXITSTATUS(c->status));
	return sig && sig != SIGINT && sig != SIGTERM && sig != SIGHUP && sig != SIGPIPE;
}

int command_status(const struct command *c)
{
	return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}

void command_signal(const struct command *c, int sig)
{
	if (c->pid && !c->ended)
		kill(c->pid, sig);
}

void command_close(struct command *c)
{
	bool waiting = c->go >= 0;

	if (!c->pid)
		return;
	if (waiting) /* ends the child's read(), and so the child */
		close(c->go);
	if (c->report >= 0)
		close(c->report);
	c->go = c->report = -1;
	if (!command_reap(c)) {
		struct pollfd fd = { .fd = c->pidfd, .events = POLLIN };

		if (!waiting)
			kill(c->pid, SIGTERM);
		poll(&fd, 1, GRACE_MS);
		command_reap(c);
	}
	if (c->pidfd >= 0)
		close(c->pidfd);
	c->pidfd = -1;
}

const char *command_verdict(const struct command *c, char *buf, size_t size)
{
	if (!c->ended)
		snprintf(buf, size, "still running");
	else if (WIFSIGNALED(c->status))
		snprintf(buf, size, "killed by SIG%s, status %d",
			 sigabbrev_np(WTERMSIG(c->status)) ?
				 sigabbrev_np(WTERMSIG(c->status)) : "?", command_status(c));
	else
		snprintf(buf, size, "exit status %d", WEXITSTATUS(c->status));
	return buf;
}
