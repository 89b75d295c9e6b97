/* SPDX-License-Identifier: MIT */
/*
 * What a single step costs: of trawl.ko, and of a ptrace stepper that does no more than it must
 * (let go, wait, read the instruction pointer). The same loop, stepped by both in turn; prints ns a
 * step, without what the loop takes by itself.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
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

enum { TURNS = 100000, STEPS = 2 * TURNS };

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

	if (fd < 0)
		return 0;
	e.pid = start(go);
	if (ioctl(fd, TRAWL_IOC_ENABLE, &e)) {
		fprintf(stderr, "branchstep: %s\n", strerror(errno));
		exit(3);
	}
	took = run(e.pid, go);
	close(fd);
	return took;
}

static double by_ptrace(uint64_t *steps)
{
	double began;
	int status, go[2];
	pid_t pid = start(go);
	long last = 0, ip;

	if (ptrace(PTRACE_SEIZE, pid, 0, 0) || ptrace(PTRACE_INTERRUPT, pid, 0, 0) ||
	    waitpid(pid, &status, 0) != pid || write(go[1], "x", 1) != 1)
		exit(3);
	began = now();
	for (*steps = 0; WIFSTOPPED(status); ++*steps) {
		ip = ptrace(PTRACE_PEEKUSER, pid, offsetof(struct user_regs_struct, rip), 0);
		if (ip == last)
			break;
		last = ip;
		if (ptrace(PTRACE_SINGLESTEP, pid, 0, 0) || waitpid(pid, &status, 0) != pid)
			break;
	}
	return now() - began;
}

int main(void)
{
	double alone, module, ptraced;
	cpu_set_t one;
	uint64_t steps;

	/* ptrace's two sides take turns: on one processor nobody waits for another to wake. */
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	alone = plain();
	module = by_module();
	ptraced = by_ptrace(&steps);
	printf("%.0f ns a step by ptrace (%llu steps)\n", ptraced / (double)steps,
	       (unsigned long long)steps);
	if (!module) {
		printf("branchstep: there is no " TRAWL_DEVICE "\n");
		return 3;
	}
	module = (module - alone) / STEPS;
	printf("%.0f ns a step by trawl.ko (%d steps): %.1f times faster\n", module, STEPS,
	       ptraced / (double)steps / module);
	return 0;
}
