/* SPDX-License-Identifier: MIT */
/*
 * Cost of a single step: by trawl.ko, and by a minimal ptrace stepper (continue, wait, read the
 * instruction pointer). All step the same loop, one after the other, five times. Prints ns for a
 * step, without the time of the loop itself.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>
#include "kmod/trawl_uapi.h"

enum { TURNS = 100000, STEPS = 2 * TURNS, PTRACE_STEPS = 20000, ROUNDS = 5 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* A child that waits for a byte, takes STEPS steps and ends. */
static pid_t start(int go[2])
{
	pid_t pid;

	if (pipe(go))
		exit(3);
	pid = fork();
	if (!pid) {
		char c;

		if (read(go[0], &c, 1) != 1)
			_exit(1);
		__asm__ volatile("1: dec %0; jnz 1b" : : "r"((long)TURNS) : "cc");
		_exit(0);
	}
	return pid;
}

static double run(pid_t pid, const int go[2])
{
	double began = now();
	int status;

	if (write(go[1], "x", 1) != 1 || waitpid(pid, &status, 0) != pid || status)
		exit(3);
	close(go[0]);
	close(go[1]);
	return now() - began;
}

static double plain(void)
{
	int go[2];
	pid_t pid = start(go);

	return run(pid, go);
}

static double by_module(void)
{
	struct trawl_enable e = {.size = sizeof(e),
				 .form = TRAWL_FORM_LBR,
				 .provider = TRAWL_PROVIDER_STEP,
				 .select = TRAWL_NO_RING0};
	int fd = open(TRAWL_DEVICE, O_RDWR | O_CLOEXEC), go[2];
	double took;

	if (fd < 0) {
		fprintf(stderr, "branchstep: " TRAWL_DEVICE ": %s\n", strerror(errno));
		exit(3);
	}
	e.pid = start(go);
	if (ioctl(fd, TRAWL_IOC_ENABLE, &e)) {
		fprintf(stderr, "branchstep: %s\n", strerror(errno));
		exit(3);
	}
	took = run(e.pid, go);
	close(fd);
	return took;
}

/* ns a step. */
static double by_ptrace(void)
{
	int status, go[2], steps;
	pid_t pid = start(go);
	long last = 0, ip;
	double began;

	if (ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_EXITKILL) ||
	    ptrace(PTRACE_INTERRUPT, pid, 0, 0) || waitpid(pid, &status, 0) != pid ||
	    write(go[1], "x", 1) != 1)
		exit(3);
	began = now();
	for (steps = 0; steps < PTRACE_STEPS && WIFSTOPPED(status); steps++) {
		ip = ptrace(PTRACE_PEEKUSER, pid, offsetof(struct user_regs_struct, rip), 0);
		/* The first step only takes up the system call in which the child was stopped. */
		if (ip == last && steps > 1)
			break;
		last = ip;
		if (ptrace(PTRACE_SINGLESTEP, pid, 0, 0) || waitpid(pid, &status, 0) != pid)
			break;
	}
	began = (now() - began) / steps;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(go[0]);
	close(go[1]);
	if (steps != PTRACE_STEPS) {
		fprintf(stderr, "branchstep: ptrace ended after %d steps\n", steps);
		exit(3);
	}
	return began;
}

static int compare(const void *a, const void *b)
{
	return *(const double *)a > *(const double *)b ? 1 : -1;
}

/* Prints and returns the minimum, which other load on the machine disturbs least. */
static double print_least(const char *what, double *ns)
{
	qsort(ns, ROUNDS, sizeof(*ns), compare);
	printf("%-28s %8.0f ns a step (median %.0f, most %.0f)\n", what, ns[0], ns[ROUNDS / 2],
	       ns[ROUNDS - 1]);
	return ns[0];
}

int main(void)
{
	double module[ROUNDS], one[ROUNDS], all[ROUNDS], least, of_one, of_all;
	cpu_set_t first, before;

	sched_getaffinity(0, sizeof(before), &before);
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	/* Interleaved, so that other load affects all of them alike. */
	for (int i = 0; i < ROUNDS; i++) {
		double alone;

		/*
		 * The two sides of ptrace alternate: on one processor neither waits for another to
		 * wake up.
		 */
		sched_setaffinity(0, sizeof(first), &first);
		alone = plain();
		module[i] = (by_module() - alone) / STEPS;
		one[i] = by_ptrace();
		sched_setaffinity(0, sizeof(before), &before);
		all[i] = by_ptrace();
	}
	least = print_least("trawl.ko", module);
	of_one = print_least("ptrace on one processor", one);
	of_all = print_least("ptrace on all processors", all);
	printf("trawl.ko is %.1f times faster than the faster ptrace\n",
	       (of_one < of_all ? of_one : of_all) / least);
	return 0;
}
