/* SPDX-License-Identifier: MIT */
/*
 * Cost of the readers' sandbox: entering it, and running trawl-decode on a small file with and
 * without it, alternately; medians of processor time. Usage: sandbox PROGRAM FILE
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/sandbox.h"

enum { RUNS = 101 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *of)
{
	qsort(of, RUNS, sizeof(*of), by_size);
	return of[RUNS / 2];
}

/* Measures in a child process, which reports the time through a pipe. */
static double enter_once(void)
{
	double took = -1, start;
	struct trawl_error err;
	int fd[2];

	if (pipe(fd))
		return -1;
	if (!fork()) {
		start = now();
		took = sandbox_enter("bench", "nothing", &err) ? -1 : now() - start;
		_exit(write(fd[1], &took, sizeof(took)) < 0);
	}
	close(fd[1]);
	if (read(fd[0], &took, sizeof(took)) != sizeof(took))
		took = -1;
	close(fd[0]);
	wait(NULL);
	return took;
}

static double run_once(char **argv)
{
	struct rusage r = {0};
	pid_t pid = fork();
	int null;

	if (!pid) {
		null = open("/dev/null", O_WRONLY);
		dup2(null, STDOUT_FILENO);
		execv(argv[0], argv);
		_exit(99);
	}
	wait4(pid, NULL, 0, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1e6 +
	       (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
	double enter[RUNS], with[RUNS], without[RUNS];

	if (argc != 3)
		return 2;
	for (int i = 0; i < RUNS; i++) {
		enter[i] = enter_once();
		with[i] = run_once((char *[]){argv[1], argv[2], NULL});
		without[i] = run_once((char *[]){argv[1], (char *)"--no-sandbox", argv[2], NULL});
	}
	printf("entering the sandbox: %.0f us\n", median(enter));
	printf("trawl-decode of a small file: %.0f us with it, %.0f us with --no-sandbox: %+.0f us "
	       "(to be: under 1000)\n",
	       median(with), median(without), median(with) - median(without));
	return 0;
}
