/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/session/scope.h"
#include "capture/sys/proc.h"

int scope_nested(const struct options *o, bool *unknown, struct trawl_error *err)
{
	*unknown = proc_is_nested();
	if (*unknown && (o->command || o->npids))
		return trawl_fail(err, TRAWL_CANNOT,
				  "%s: this is a PID namespace (a container), but the kernel's "
				  "events have the host's PIDs; run trawl outside, or with the "
				  "host's PIDs (docker run --pid=host)",
				  o->command ? o->command[0] : "-p");
	if (*unknown && !o->quiet)
		fputs("trawl: this is a PID namespace (a container): processes have the numbers "
		      "from outside of it, and no names or programs\n", stderr);
	return 0;
}

static int open_pidfd(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0 && errno != ESRCH) /* a thread: PIDFD_THREAD */
		fd = (int)syscall(SYS_pidfd_open, pid, O_EXCL);
	return fd;
}

int scope_open(struct scope *s, const pid_t *pids, size_t n, bool watch, bool quiet,
	       struct trawl_error *err)
{
	*s = (struct scope){ .pids = calloc(n + 1, sizeof(*pids)) };
	if (!s->pids)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	for (size_t i = 0; i < n; i++) {
		const char *why = kill(pids[i], 0) && errno == ESRCH ? "no such process" :
				  proc_is_zombie(pids[i]) ? "the process has ended" : NULL;

		if (!why)
			s->pids[s->n++] = pids[i];
		else if (i + 1 == n && !s->n)
			return trawl_fail(err, TRAWL_USAGE, "-p %d: %s; ps -e lists those that "
					  "run", pids[i], why);
		else if (!quiet)
			fprintf(stderr, "trawl: -p %d: %s: left out\n", pids[i], why);
	}
	if (!watch)
		return 0;
	s->pidfds = calloc(n + 1, sizeof(*s->pidfds));
	if (!s->pidfds)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	for (; s->watched < s->n; s->watched++)
		s->pidfds[s->watched] = open_pidfd(s->pids[s->watched]);
	return 0;
}

void scope_close(struct scope *s)
{
	for (size_t i = 0; i < s->watched; i++) {
		if (s->pidfds[i] >= 0)
			close(s->pidfds[i]);
	}
	free(s->pidfds);
	free(s->pids);
	*s = (struct scope){ 0 };
}

struct children {
	const struct scope *scope;
	pid_t pid;
	size_t n;
};

static bool in_scope(const struct scope *s, pid_t pid)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->pids[i] == pid)
			return true;
	}
	return false;
}

/* The children that a thread has started. */
static void add_children(void *arg, pid_t tid)
{
	struct children *c = arg;
	char path[64];
	int child;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", c->pid, tid);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fscanf(f, "%d", &child) == 1)
		c->n += !in_scope(c->scope, child);
	fclose(f);
}

size_t scope_left_out(const struct scope *s, size_t i)
{
	struct children c = { s, s->pids[i], 0 };

	threads_each(c.pid, add_children, &c);
	return c.n;
}

/* All of them must have ended, so that they are waited for one after the other. */
int scope_fd(const struct scope *s)
{
	return s->gone < s->watched ? s->pidfds[s->gone] : -1;
}

bool scope_ended(struct scope *s)
{
	return ++s->gone == s->watched;
}
