/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "capture/probe/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/probe/confine.h"
#include "capture/probe/opener.h"
#include "capture/probe/reply.h"
#include "capture/sys/alloc.h"
#include "common/interrupted.h"
#include "common/sandbox.h"

enum {
	WALL_SECONDS = 300,
	REPLY_MAX = 256 << 20,
	LOOK_AGAIN = 100,        /* ms between two looks at pending signals and at the clock */
	STATUS_NO_SANDBOX = 101, /* exit status of a child that could not be confined */
};

/* ---- the child ---------------------------------------------------------------------------- */

/*
 * Closes all other descriptors. The memory limit grows with the files' sizes: libelf maps a file as
 * a whole and keeps decompressed sections beside the mapping.
 */
static void keep_files(const struct probe_list *list, int socket, int answer)
{
	int *kept = xcalloc(list->nfiles + 2, sizeof(*kept));
	uint64_t size = 0;

	for (size_t i = 0; i < list->nfiles; i++) {
		kept[i] = list->files[i]->fd;
		size += list->files[i]->size;
	}
	kept[list->nfiles] = socket;
	kept[list->nfiles + 1] = answer;
	confine_descriptors(kept, list->nfiles + 2);
	confine_resources(size);
	free(kept);
}

static void answer_with(int to, const char *p, size_t n)
{
	while (n) {
		ssize_t k = write(to, p, n);

		if (k < 0 && errno != EINTR)
			_exit(TRAWL_CANNOT);
		k = k < 0 ? 0 : k;
		p += k;
		n -= (size_t)k;
	}
}

static void child(apart_fn *fn, void *arg, struct probe_list *list, pid_t parent, int socket,
		  int answer) __attribute__((noreturn));
static void child(apart_fn *fn, void *arg, struct probe_list *list, pid_t parent, int socket,
		  int answer)
{
	struct trawl_error err = {0};
	struct reply_before before = reply_before(list);
	void *reply;
	size_t n;
	int ret;

	signal(SIGPIPE, SIG_DFL);
	keep_files(list, socket, answer);
	opener_set_socket(socket);
	if (!confine_nobody())
		_exit(STATUS_NO_SANDBOX);
	/* after the change of user, which clears this setting */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || sandbox_enter_parser("trawl", "a program", &err))
		_exit(STATUS_NO_SANDBOX);
	ret = fn(arg, list, &err);
	reply = reply_write(list, &before, ret, &err, &n);
	answer_with(answer, reply, n);
	_exit(TRAWL_OK);
}

/* ---- the parent --------------------------------------------------------------------------- */

struct reader {
	pid_t pid;
	int socket, answer;
	char *bytes;
	size_t n, room;
	time_t begun;
	const char *stopped; /* why the parent killed it; NULL: it was not killed */
	char **folders;      /* that the probed programs lie in, absolute */
	size_t nfolders;
};

static time_t seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static void stop(struct reader *r, const char *why)
{
	if (!r->stopped)
		kill(r->pid, SIGKILL);
	r->stopped = why;
}

/* False at the end of the answer. */
static bool read_more(struct reader *r)
{
	ssize_t k;

	if (!array_reserve(r->bytes, r->room, r->n + 65536))
		alloc_checked(NULL);
	k = read(r->answer, r->bytes + r->n, 65536);
	if (k > 0)
		r->n += (size_t)k;
	if (r->n > REPLY_MAX)
		stop(r, "answers without an end");
	return k > 0 || (k < 0 && errno == EINTR);
}

static void listen_to(struct reader *r)
{
	struct pollfd p[2] = {{r->answer, POLLIN, 0}, {r->socket, POLLIN, 0}};
	bool more = true;

	while (more) {
		p[0].revents = p[1].revents = 0;
		errno = 0;
		if (poll(p, 2, LOOK_AGAIN) < 0 && errno != EINTR)
			return;
		if (p[1].revents &&
		    !opener_answer(r->socket, (const char *const *)r->folders, r->nfolders)) {
			if (errno == EAGAIN)
				stop(r, "requested files and did not receive them");
			p[1].fd = -1;
		}
		if (p[0].revents)
			more = read_more(r);
		if (is_interrupted())
			stop(r, "was interrupted before anything was recorded");
		else if (seconds() - r->begun > WALL_SECONDS)
			stop(r, "took more than 5 minutes");
	}
}

/* Reports why there is no valid answer. Returns -1. */
static int fail(const struct reader *r, int status, const char *name, struct trawl_error *err)
{
	static const char remedy[] = "the file may be damaged or made to harm; probe another build "
				     "of it";

	if (r->stopped)
		return trawl_fail(err, TRAWL_CANNOT,
				  "%s: reading its symbols and debug information %s", name,
				  r->stopped);
	if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
		return trawl_fail(err, TRAWL_CANNOT,
				  "%s: its debug information takes too long to read, or more "
				  "memory than there is; %s",
				  name, remedy);
	if (WIFSIGNALED(status))
		return trawl_fail(err, TRAWL_CANNOT, "%s: its debug information crashed the reader "
				  "(signal %d); %s", name, WTERMSIG(status), remedy);
	if (WEXITSTATUS(status) == STATUS_NO_SANDBOX)
		return trawl_fail(err, TRAWL_CANNOT,
				  "%s: the process that reads it cannot be confined (seccomp, "
				  "setuid); run trawl where that is allowed",
				  name);
	if (WEXITSTATUS(status))
		return trawl_fail(err, TRAWL_CANNOT,
				  "%s: its debug information made the reader run out of memory, "
				  "or make a forbidden system call; %s",
				  name, remedy);
	return trawl_fail(err, TRAWL_CANNOT, "%s: the answer of its reader is invalid; %s",
			  name, remedy);
}

static void find_folders(struct reader *r, const struct probe_list *list)
{
	for (size_t i = 0; i < list->nfiles; i++) {
		const char *path = list->files[i]->path, *slash = strrchr(path, '/');

		if (*path != '/')
			continue;
		xgrow(r->folders, r->nfolders);
		r->folders[r->nfolders++] = xstrndup(path, (size_t)(slash - path));
	}
}

static int finish(struct reader *r, const char *name, struct probe_list *list,
		  struct trawl_error *err)
{
	int status = 0, got = 1;

	close(r->answer);
	close(r->socket);
	/* A child that closed its end and goes on is ended. One that exits keeps its status. */
	kill(r->pid, SIGKILL);
	while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!status && !r->stopped)
		got = reply_read(r->bytes, r->n, list, err);
	if (got > 0)
		got = fail(r, status, name, err);
	free(r->bytes);
	for (size_t i = 0; i < r->nfolders; i++)
		free(r->folders[i]);
	free(r->folders);
	return got;
}

int apart_run(apart_fn *fn, void *arg, const char *name, struct probe_list *list,
	      struct trawl_error *err)
{
	struct reader r = {.begun = seconds()};
	pid_t parent = getpid();
	int pair[2], answer[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return trawl_fail(err, TRAWL_CANNOT, "%s: %s", name, strerror(errno));
	if (pipe2(answer, O_CLOEXEC)) {
		trawl_fail(err, TRAWL_CANNOT, "%s: %s", name, strerror(errno));
		goto no_pipe;
	}
	fflush(NULL);
	confine_quiet_threads();
	r.pid = fork();
	if (r.pid == 0)
		child(fn, arg, list, parent, pair[1], answer[1]);
	if (r.pid < 0) {
		trawl_fail(err, TRAWL_CANNOT, "%s: cannot start a process to read it: %s", name,
			   strerror(errno));
		goto no_process;
	}
	close(pair[1]);
	close(answer[1]);
	r.socket = pair[0];
	r.answer = answer[0];
	find_folders(&r, list);
	listen_to(&r);
	return finish(&r, name, list, err);
no_process:
	close(answer[0]);
	close(answer[1]);
no_pipe:
	close(pair[0]);
	close(pair[1]);
	return -1;
}
