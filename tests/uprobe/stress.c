// SPDX-License-Identifier: MIT
/*
 * stress: misuse of trawl.ko's uprobe interface by tracers, tracees and users.
 *
 *	stress stops N		N consecutive stops
 *	stress kill N [SEED]	N times, a tracer or its tracee is killed at a random moment
 *	stress register N	N times, a tracer is killed while it registers
 *	stress random SECONDS [SEED]	ioctls with random numbers and contents
 *
 * Status 0: nothing hung, and every tracee that was not killed continued.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "kmod/trawl_uprobe.h"
#include "uprobe/trawl-uprobe.h"

static volatile long *calls;	/* number of calls by the tracee, in a page that all share */

__attribute__((noinline, noclone)) static long probed(long value)
{
	*calls = value;
	return value * 2;
}

static pid_t start_tracee(void)
{
	pid_t pid = fork();

	if (!pid)
		for (long i = 1;; i++)
			probed(i);
	return pid;
}

static void kill_and_wait(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Whether the tracee still calls. The wait is long: guests are emulated, two on each processor. */
static int goes_on(void)
{
	long before = *calls;

	for (int i = 0; i < 20000; i++) {
		if (*calls != before) {
			if (i > 2000)
				printf("the tracee went on only after %d ms\n", i);
			return 1;
		}
		usleep(1000);
	}
	return 0;
}

static int stops_in_a_row(long n)
{
	pid_t pid = start_tracee();
	struct uprobe u = {.id = 1, .event = UPEV_BKPT, .who = pid, .where = (unsigned long)probed},
		      got;
	long seen;

	if (uprobe_register(&u) < 0) {
		fprintf(stderr, "%s\n", uprobe_error());
		return 1;
	}
	for (seen = 0; seen < n && uprobe_poll(&got, 10000) == 1; seen++)
		;
	uprobe_detach(pid);
	if (!goes_on())
		seen = -1;
	kill_and_wait(pid);
	printf("%ld stops\n", seen);
	return seen != n;
}

/* Kills the tracer or the tracee while the tracee is stopped, runs, or is between both. */
static int one_kill(void)
{
	pid_t pid = start_tracee(), tracer = fork();
	int status = 0, victim = rand() % 2;

	if (!tracer) {
		struct uprobe u = {.id = 1,
				   .event = rand() % 2 ? UPEV_BKPT : UPEV_FUNCRET,
				   .who = pid,
				   .where = (unsigned long)probed},
			      got;

		if (uprobe_register(&u) < 0)
			_exit(errno == ESRCH ? 0 : 1);
		while (uprobe_poll(&got, -1) == 1)
			;
		_exit(errno == ESRCH ? 0 : 2);
	}
	usleep((useconds_t)(rand() % 30000));
	if (victim) {
		kill_and_wait(tracer);
		status = !goes_on();
	} else {
		kill(pid, SIGKILL);
		waitpid(tracer, &status, 0);
	}
	kill_and_wait(pid);
	return status;
}

static int kills(long n)
{
	for (long i = 0; i < n; i++)
		if (one_kill()) {
			printf("kill %ld went wrong\n", i);
			return 1;
		}
	printf("%ld kills\n", n);
	return 0;
}

/* It stores in calls[1] that it begins. */
static void registers(pid_t pid)
{
	struct trawl_uprobe_request set = {
		.size = sizeof(set), .u = {.id = 1, .who = pid, .where = (unsigned long)probed}};
	int fd = open("/dev/trawl", O_RDWR);

	/* After a pause the kernel waits longest before it writes the breakpoint. */
	usleep(30000);
	calls[1] = 1;
	if (ioctl(fd, TRAWL_UPROBE_REGISTER, &set))
		_exit(1);
	pause();
}

static int kills_in_register(long n)
{
	pid_t pid = start_tracee(), tracer;
	/* The kernel searches for probes to remove only if there are uprobes. */
	struct uprobe other = {.id = 2, .event = UPEV_BKPT, .who = pid,
			       .where = (unsigned long)start_tracee, .khandler = "count"};
	int status = 0, good = !uprobe_register(&other);

	for (long i = 0; i < n && good; i++) {
		calls[1] = 0;
		tracer = fork();
		if (!tracer)
			registers(pid);
		for (int ms = 0; ms < 5000 && !calls[1]; ms++)
			usleep(1000);
		usleep((useconds_t)(rand() % 4000));
		kill(tracer, SIGKILL);
		waitpid(tracer, &status, 0);
		good = WIFSIGNALED(status) && goes_on();
	}
	kill_and_wait(pid);
	printf("%ld kills\n", n);
	return !good;
}

static int at_random(long seconds)
{
	time_t until = time(NULL) + seconds;
	pid_t pid = start_tracee();
	unsigned long n = 0;
	int fd = open("/dev/trawl", O_RDWR);

	while (time(NULL) < until) {
		union {
			struct trawl_uprobe_request request;
			struct trawl_uprobe_poll poll;
			unsigned char bytes[512];
		} body;
		unsigned nr = rand() % 10 ? 64 + (unsigned)rand() % 9 : (unsigned)rand() % 256;

		for (size_t i = 0; i < sizeof(body.bytes); i++)
			body.bytes[i] = rand() % 4 ? 0 : (unsigned char)rand();
		if (rand() % 4)
			body.request.size = rand() % 300 + 8,
			body.request.flags = rand() % 8 ? 0 : 1;
		if (rand() % 4) {
			body.request.u = (struct trawl_uprobe){.id = (unsigned)rand() % 4,
							       .who = pid,
							       .event = (unsigned)rand() % 12,
							       .where = (unsigned long)probed};
			if (rand() % 4 == 0)
				strcpy(body.request.u.khandler, "registers");
		}
		/* A poll that waits forever is not a failure of the module. */
		if (nr == 67)
			body.poll.timeout = rand() % 3;
		ioctl(fd, _IOC(3, 0xd7, nr, sizeof(body) % 16384),
		      rand() % 50 ? (void *)&body : (void *)(uintptr_t)rand());
		n++;
		if (rand() % 500 == 0) {
			close(fd);
			fd = open("/dev/trawl", O_RDWR);
		}
	}
	close(fd);
	n = goes_on() ? n : 0;
	kill_and_wait(pid);
	printf("%lu requests\n", n);
	return !n;
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 0;

	calls = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	srand(argc > 3 ? (unsigned)atoi(argv[3]) : 1);
	if (n > 0 && !strcmp(argv[1], "stops"))
		return stops_in_a_row(n);
	if (n > 0 && !strcmp(argv[1], "kill"))
		return kills(n);
	if (n > 0 && !strcmp(argv[1], "register"))
		return kills_in_register(n);
	if (n > 0 && !strcmp(argv[1], "random"))
		return at_random(n);
	fprintf(stderr, "usage: stress stops|kill|register|random N [SEED]\n");
	return 2;
}
