/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "edit/jobs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/array.h"
#include "decode/base/cli.h"

volatile sig_atomic_t jobs_interrupted;

static void on_signal(int number)
{
	jobs_interrupted = number;
}

/*
 * Signals that end a program: before it ends, the temporary folder with its unredacted data is
 * removed.
 */
static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

void jobs_catch_signals(void)
{
	const struct sigaction act = { .sa_handler = on_signal };

	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		sigaction(ending[i], &act, NULL);
}

static bool ends_at_terminal(int number)
{
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		if (ending[i] == number)
			return true;
	return false;
}

/* Runs a program from this one's folder, else from $PATH. */
static void run_program(char **argv) __attribute__((noreturn));
static void run_program(char **argv)
{
	char path[4200];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 64);
	char *slash;

	if (n > 0) {
		path[n] = '\0';
		slash = strrchr(path, '/');
		snprintf(slash + 1, 64, "%s", argv[0]);
		execv(path, argv);
	}
	execvp(argv[0], argv);
	fprintf(stderr, "%s: %s: cannot be run: %s\n", cli_program, argv[0], strerror(errno));
	_exit(TRAWL_CANNOT);
}

static void exec_job(const struct job *j) __attribute__((noreturn));
static void exec_job(const struct job *j)
{
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		signal(ending[i], SIG_DFL);
	signal(SIGPIPE, SIG_DFL); /* main() ignores it */
	if ((j->out && !freopen(j->out, "w", stdout)) ||
	    (j->said >= 0 && dup2(j->said, STDERR_FILENO) < 0) || (j->folder && chdir(j->folder)))
		_exit(TRAWL_CANNOT);
	run_program(j->argv);
}

/* Waits for a job to end, or with WNOHANG only tests whether it has. Returns true if it ended. */
static bool job_ended(struct job *j, int options)
{
	int status = 0;
	pid_t got = j->pid > 0 ? waitpid(j->pid, &status, options) : -1;

	if (got == 0 || (got < 0 && errno == EINTR)) {
		if (jobs_interrupted)
			kill(j->pid, SIGINT);
		return false;
	}
	if (j->pid > 0)
		j->status = got > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : TRAWL_CANNOT;
	/* a terminal signals the whole process group: the program may have ended first */
	if (got > 0 && WIFSIGNALED(status) && !jobs_interrupted &&
	    ends_at_terminal(WTERMSIG(status)))
		jobs_interrupted = WTERMSIG(status);
	j->pid = 0;
	return true;
}

void jobs_run(struct job *jobs, size_t n, jobs_progress *progress, const char *what)
{
	const struct timespec tick = { .tv_nsec = 20000000 };
	size_t running = n;

	for (size_t i = 0; i < n; i++) {
		jobs[i].status = TRAWL_CANNOT;
		jobs[i].said = memfd_create("said", MFD_CLOEXEC);
		jobs[i].pid = fork();
		if (!jobs[i].pid)
			exec_job(&jobs[i]);
	}
	for (int ticks = 0; running; ticks++) {
		running = 0;
		for (size_t i = 0; i < n; i++)
			running += jobs[i].pid > 0 && !job_ended(&jobs[i], WNOHANG);
		if (ticks % 50 == 0)
			progress(what, ticks / 50);
		if (running)
			nanosleep(&tick, NULL);
	}
}

bool job_find_line(const struct job *j, const char *mark, char *line, size_t size)
{
	int copy = j->said >= 0 ? dup(j->said) : -1;
	FILE *f = copy >= 0 ? fdopen(copy, "r") : NULL;
	bool found = false;

	if (f)
		rewind(f);
	while (f && !found && fgets(line, (int)size, f))
		found = strstr(line, mark);
	if (f)
		fclose(f);
	else if (copy >= 0)
		close(copy);
	line[found ? strcspn(line, "\n") : 0] = '\0';
	return found;
}

int job_call(char **argv)
{
	struct job j = { .argv = argv, .said = -1, .status = TRAWL_CANNOT, .pid = fork() };

	if (!j.pid)
		exec_job(&j);
	while (!job_ended(&j, 0))
		;
	return jobs_interrupted ? 128 + jobs_interrupted : j.status;
}

