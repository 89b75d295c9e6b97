/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/branch/reader.h"
#include "capture/probe/confine.h"
#include "capture/probe/opener.h"
#include "capture/sys/alloc.h"
#include "capture/sys/clock.h"
#include "capture/sys/fdmessage.h"
#include "common/array.h"
#include "common/sandbox.h"

enum {
	SECONDS = 60,          /* limit for an answer, for which the recorder waits */
	END_MS = 5000,         /* limit for the end of the starter */
	ANSWER_MAX = 256 << 20,
	PATH_BYTES = 4096,
};

/* In place of the size of an answer: the starter could not fork a reader. */
#define NO_PROCESS UINT64_MAX

char *vdso_image(size_t *size)
{
	/* NOLINT: the kernel's address */
	char *image = (char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	uint64_t start, end;
	char line[512];
	FILE *f = image ? fopen("/proc/self/maps", "re") : NULL;

	*size = 0;
	while (f && !*size && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) == 2 &&
		    start == (uintptr_t)image)
			*size = end - start;
	}
	if (f)
		fclose(f);
	return *size ? image : NULL;
}

/* ---- the processes ----------------------------------------------------------------------- */

/* fds: socket, opener, and the program, without which it is the vdso. */
static void read_program(const char *path, const int *fds, size_t n) __attribute__((noreturn));
static void read_program(const char *path, const int *fds, size_t n)
{
	int fd = n > 2 ? fds[2] : -1;
	struct trawl_error err;
	struct stat st = { 0 };
	char *image = NULL;
	size_t size = 0;

	if (fd < 0)
		image = vdso_image(&size);
	else if (fstat(fd, &st))
		_exit(TRAWL_CANNOT);
	signal(SIGCHLD, SIG_DFL);
	confine_resources((uint64_t)st.st_size);
	opener_set_socket(fds[1]);
	if (sandbox_enter_parser("trawl", "a program", &err))
		_exit(TRAWL_CANNOT);
	lookup_serve(fds[0], fd, path, image, size);
	_exit(TRAWL_OK);
}

/* Starts readers until the recorder closes its end of the socket. */
static void start_readers(int socket) __attribute__((noreturn));
static void start_readers(int socket)
{
	const uint64_t no_process = NO_PROCESS;
	pid_t starter = getpid();
	int fds[FDMESSAGE_MAX];
	char path[PATH_BYTES];
	ssize_t len;
	size_t n;

	while ((len = fdmessage_receive(socket, path, sizeof(path) - 1, fds, &n)) > 0) {
		pid_t pid = n >= 2 ? fork() : -1;

		if (pid == 0) {
			close(socket);
			path[len] = '\0';
			/* The starter ends with the recorder, and readers with the starter. */
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (getppid() != starter)
				_exit(TRAWL_CANNOT);
			read_program(path, fds, n);
		}
		if (pid < 0 && n)
			(void)!send(fds[0], &no_process, sizeof(no_process), MSG_NOSIGNAL);
		for (size_t i = 0; i < n; i++)
			close(fds[i]);
	}
	_exit(TRAWL_OK);
}

/* Ignores the terminal's signals: the recorder needs the readers until its end. */
static void ignore_signals(void)
{
	static const int ignored[] = {SIGINT,  SIGTERM, SIGHUP,	 SIGQUIT,
				      SIGTSTP, SIGUSR1, SIGUSR2, SIGALRM};

	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGCHLD, SIG_IGN); /* readers are not waited for */
}

int reader_starter_open(struct reader_starter *s, struct trawl_error *err)
{
	pid_t recorder = getpid();
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return trawl_fail(err, TRAWL_CANNOT,
				  "-i branch: cannot make a socket for the reader of programs: %s",
				  strerror(errno));
	fflush(NULL);
	confine_quiet_threads();
	s->pid = fork();
	if (s->pid == 0) {
		confine_descriptors(&pair[1], 1);
		ignore_signals();
		if (!confine_nobody())
			_exit(TRAWL_CANNOT);
		/*
		 * also ends a starter that is stopped and cannot notice that the socket was closed
		 */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != recorder)
			_exit(TRAWL_CANNOT);
		start_readers(pair[1]);
	}
	close(pair[1]);
	s->socket = pair[0];
	if (s->pid > 0)
		return 0;
	close(pair[0]);
	s->pid = 0;
	return trawl_fail(err, TRAWL_CANNOT,
			  "-i branch: cannot start the reader of programs: %s; end other programs",
			  strerror(errno));
}

void reader_starter_close(struct reader_starter *s)
{
	struct pollfd ended = { .events = POLLIN };

	if (!s->pid)
		return;
	close(s->socket);
	ended.fd = (int)syscall(SYS_pidfd_open, s->pid, 0);
	while (ended.fd >= 0 && poll(&ended, 1, END_MS) < 0 && errno == EINTR)
		;
	if (ended.fd >= 0)
		close(ended.fd);
	waitpid(s->pid, NULL, WNOHANG);
	s->pid = 0;
}

/* ---- a reader ---------------------------------------------------------------------------- */

/* Why socketpair() failed. */
static const char *no_socket(void)
{
	return errno == EMFILE ? "socketpair: no socket for the reader of its symbols: too many files are "
				 "open; raise ulimit -n"
			       : "socketpair: the system has no socket for the reader of its symbols; end "
				 "other programs";
}

const char *reader_start(struct reader_starter *s, int fd, const char *path, const char *folder,
			 struct reader *r)
{
	int stream[2], packets[2];
	const char *why;
	bool sent;

	*r = (struct reader){ .socket = -1, .opener = -1 };
	if (s->n >= READERS_MAX)
		return "the capture has too many programs; record fewer processes at a time";
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stream))
		return no_socket();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, packets)) {
		why = no_socket();
		close(stream[0]);
		close(stream[1]);
		return why;
	}
	sent = strlen(path) < PATH_BYTES &&
	       fdmessage_send(s->socket, path, strlen(path) + 1, (int[]){stream[1], packets[1], fd},
			      fd >= 0 ? 3 : 2, MSG_DONTWAIT);
	close(stream[1]);
	close(packets[1]);
	r->socket = stream[0];
	r->opener = packets[0];
	r->folder = folder ? xstrdup(folder) : NULL;
	s->n++;
	if (sent)
		return NULL;
	reader_close(r);
	return "the process that starts readers of symbols has ended; record again";
}

void reader_close(struct reader *r)
{
	if (r->socket >= 0)
		close(r->socket);
	if (r->opener >= 0)
		close(r->opener);
	free(r->folder);
	*r = (struct reader){ .socket = -1, .opener = -1 };
}

static int64_t milliseconds(void)
{
	return (int64_t)mono_ms();
}

/*
 * Reads n bytes, and serves requests for debug files meanwhile. Returns NULL, or the reason of a
 * failure.
 */
static const char *receive(const struct reader *r, char *p, size_t n, int64_t until)
{
	struct pollfd fds[2] = { { r->socket, POLLIN, 0 }, { r->opener, POLLIN, 0 } };
	const char *const *folders = (const char *const *)&r->folder;
	int64_t left;
	ssize_t k;

	while (n) {
		left = until - milliseconds();
		if (left <= 0)
			return "reading its symbols takes too long; record again on a less busy machine";
		if (poll(fds, 2, (int)left) < 0) {
			if (errno != EINTR)
				return "poll: the recorder cannot wait for its symbols; end other programs";
			continue;
		}
		if (fds[1].revents && !opener_answer(r->opener, folders, r->folder ? 1 : 0))
			fds[1].fd = -1;
		if (!fds[0].revents)
			continue;
		k = recv(r->socket, p, n, MSG_DONTWAIT);
		if (k == 0 || (k < 0 && errno != EAGAIN && errno != EINTR))
			return "reading its symbols crashed the reader, or takes too long: the "
			       "file may be damaged or made to harm";
		p += k < 0 ? 0 : k;
		n -= k < 0 ? 0 : (size_t)k;
	}
	return NULL;
}

const char *reader_request(struct reader *r, enum lookup_request what, const uint64_t *offsets,
			   size_t n, char **bytes, struct wire_in *in)
{
	int64_t until = milliseconds() + 1000ll * SECONDS;
	uint64_t head[2] = { what, n }, size = 0;
	struct iovec io[2] = {{head, sizeof(head)},
			      {(void *)(uintptr_t)offsets, n * sizeof(*offsets)}};
	struct msghdr message = { .msg_iov = io, .msg_iovlen = 2 };
	const char *why;

	*bytes = NULL;
	/* If the message does not fit, the reader has ended; receive() reports that. */
	(void)!sendmsg(r->socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	why = receive(r, (char *)&size, sizeof(size), until);
	if (!why && size == NO_PROCESS)
		why = "no process could be started that reads its symbols; end other programs";
	if (!why && size > ANSWER_MAX)
		why = "its symbols take more than 256 MiB; remove some with strip";
	if (!why) {
		*bytes = alloc_checked(malloc(size + 1));
		why = receive(r, *bytes, size, until);
	}
	if (!why) {
		*in = (struct wire_in){ *bytes, size, false };
		return NULL;
	}
	free(*bytes);
	*bytes = NULL;
	reader_close(r);
	return why;
}
