/* SPDX-License-Identifier: MIT */
/* New tasks are reported when they are created, also those of descendants. */
#include <criterion/criterion.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/branch/forks.h"

enum { WAIT_MS = 20000, GENERATIONS = 3 };

/* Creates a child that creates one, and so on, and waits for it. */
static void descend(int generations)
{
	pid_t child = generations ? fork() : 0;

	if (child > 0)
		waitpid(child, NULL, 0);
	else if (generations)
		descend(generations - 1);
	if (!child)
		_exit(0);
}

static bool allowed(pid_t pid)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(a),
				     .config = PERF_COUNT_SW_DUMMY, .exclude_kernel = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &a, pid, -1, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void count(void *arg, pid_t pid, pid_t tid)
{
	cr_assert_eq(pid, tid);
	++*(unsigned int *)arg;
}

Test(forks, each_fork_wakes_poll_and_is_reported)
{
	struct forks f = { 0 };
	struct pollfd fds[256];
	struct trawl_error err;
	unsigned int seen = 0;
	int gate[2];
	pid_t parent;

	cr_assert_eq(pipe(gate), 0);
	parent = fork();
	if (!parent) {
		char go;

		if (read(gate[0], &go, 1) == 1)
			descend(GENERATIONS);
		pause();
	}
	if (!allowed(parent)) {
		kill(parent, SIGKILL);
		cr_skip_test("perf_event_open is not allowed");
	}
	forks_open(&f, &(struct branch_scope){ .pids = &parent, .n = 1 });
	cr_assert_gt(f.ring.nfds, 0);
	cr_assert_eq(forks_enable(&f, &err), 0);
	cr_assert_eq(write(gate[1], "", 1), 1);
	while (seen < GENERATIONS) {
		size_t n = forks_fds(&f, fds, 256);

		cr_assert_gt(poll(fds, n, WAIT_MS), 0, "%u were reported", seen);
		cr_assert_eq(forks_each(&f, count, &seen, &err), 0);
	}
	cr_assert_eq(seen, GENERATIONS);
	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
	forks_close(&f);
}
