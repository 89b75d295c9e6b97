// SPDX-License-Identifier: MIT
/*
 * branchtasks N [deep]: three processes take turns on one CPU, each with a function of its own,
 * which it calls N times. They are children of one parent or, with "deep", each one's parent is the
 * one before.
 */
#include <sched.h>
#include <stdbool.h>
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

static void start(int task, int n, bool deep)
{
	if (fork())
		return;
	if (deep && task + 1 < TASKS)
		start(task + 1, n, deep);
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
	for (int task = 0; task < (argc > 2 ? 1 : TASKS); task++)
		start(task, n, argc > 2);
	while (wait(NULL) > 0)
		;
	return 0;
}
