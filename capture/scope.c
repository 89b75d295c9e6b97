/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "scope.h"

static int open_pidfd(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0 && errno != ESRCH) /* a thread: PIDFD_THREAD */
		fd = (int)syscall(SYS_pidfd_open, pid, O_EXCL);
	return fd;
}

int scope_open(struct scope *s, const pid_t *pids, size_t n, bool watch, struct trawl_error *err)
{
	*s = (struct scope){ .pids = pids, .n = n };
	for (size_t i = 0; i < n; i++) {
		if (kill(pids[i], 0) && errno == ESRCH)
			return trawl_fail(err, TRAWL_USAGE, "-p %d: no such process", pids[i]);
	}
	if (!watch)
		return 0;
	s->pidfds = calloc(n + 1, sizeof(*s->pidfds));
	if (!s->pidfds)
		return trawl_fail(err, TRAWL_CANNOT, "out of memory");
	for (; s->watched < n; s->watched++)
		s->pidfds[s->watched] = open_pidfd(pids[s->watched]);
	return 0;
}

void scope_close(struct scope *s)
{
	for (size_t i = 0; i < s->watched; i++) {
		if (s->pidfds[i] >= 0)
			close(s->pidfds[i]);
	}
	free(s->pidfds);
	*s = (struct scope){ 0 };
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
