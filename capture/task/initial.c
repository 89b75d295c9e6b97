/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/task/initial.h"
#include "common/array.h"
#include "capture/sys/clock.h"
#include "capture/sys/proc.h"

/* The arguments of add_thread(). */
struct adding {
	struct initial_tasks *initial;
	pid_t pid;
};

static bool read_comm(const struct initial_task *t, char *comm, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", t->pid, t->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, comm, size);
	close(fd);
	if (n <= 0)
		return false;
	comm[n - 1] = '\0'; /* its newline */
	return true;
}

static void add_thread(void *arg, pid_t tid)
{
	struct adding *with = arg;
	struct initial_tasks *c = with->initial;
	struct initial_task t = { .tid = tid, .pid = with->pid };

	if (!read_comm(&t, t.comm, sizeof(t.comm)))
		return;
	if (array_grow(c->tasks, c->n))
		c->tasks[c->n++] = t;
	else
		c->incomplete = true;
}

static int by_tid(const void *a, const void *b)
{
	const struct initial_task *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static void add_process(void *initial, pid_t pid)
{
	struct adding with = { initial, pid };

	threads_each(pid, add_thread, &with);
}

void initial_tasks_take(struct initial_tasks *c)
{
	processes_each(add_process, c);
	if (c->n)
		qsort(c->tasks, c->n, sizeof(*c->tasks), by_tid);
	c->time = mono_now();
}

void initial_tasks_free(struct initial_tasks *c)
{
	free(c->tasks);
	*c = (struct initial_tasks){ 0 };
}

struct initial_task *initial_tasks_find(const struct initial_tasks *c, pid_t tid)
{
	struct initial_task key = { .tid = tid };

	return c->n ? bsearch(&key, c->tasks, c->n, sizeof(*c->tasks), by_tid) : NULL;
}
