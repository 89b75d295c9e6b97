// SPDX-License-Identifier: MIT
/*
 * branchtasks N [FOLDER]: three processes take turns on one CPU, each with a function of its own,
 * which it calls N times. They are children of one parent or, with FOLDER, each one's parent is the
 * one before: number K is started when there is a file FOLDER/K, and all begin their turns when
 * there is FOLDER/run.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TASKS = 3 };

static volatile unsigned long sum;

#define TURN(n) \
	static __attribute__((noinline)) void turn_##n(void) \
	{ \
		for (volatile int i = 0; i < 10; i++) \
			sum += n; \
	}
TURN(1)
TURN(2)
TURN(3)
static void (*const turns[TASKS])(void) = { turn_1, turn_2, turn_3 };

static const char *folder;

static void wait_for(const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	while (folder && access(path, F_OK))
		usleep(1000);
}

static void start(int task, int n)
{
	wait_for((char[]){ (char)('1' + task), 0 });
	if (fork())
		return;
	if (folder && task + 1 < TASKS)
		start(task + 1, n);
	wait_for("run");
	while (n--) {
		turns[task]();
		sched_yield();
	}
	wait(NULL);
	_exit(0);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	folder = argc > 2 ? argv[2] : NULL;
	for (int task = 0; task < (folder ? 1 : TASKS); task++)
		start(task, n);
	while (wait(NULL) > 0)
		;
	return 0;
}
