// SPDX-License-Identifier: MIT
/*
 * uprobestop: the cost of stopping a program at a function, reading its registers and continuing
 * it, by libtrawl-uprobe and by a breakpoint of ptrace(2). For comparison, the time in which two
 * processes wake each other by pipes: a lower bound for any stop on one processor. Also the cost of
 * hits that do not stop the program: a khandler and, if tracefs is mounted, a plain uprobe event.
 * Needs trawl.ko. Prints lines "NAME NANOSECONDS".
 *
 *	uprobestop [STOPS [HITS]]
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "uprobe/trawl-uprobe.h"

#define TRACEFS "/sys/kernel/tracing/"
#define RUNS 5

static volatile long sink;

__attribute__((noinline, noclone)) static long probed(long value)
{
	sink = value;
	return value * 2;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void die(const char *what)
{
	fprintf(stderr, "uprobestop: %s: %s\n", what, uprobe_error());
	exit(1);
}

/* Starts a child that calls the function in an endless loop after a start signal. */
static pid_t caller(int *go)
{
	int pipefd[2];
	pid_t pid;
	char c;

	if (pipe(pipefd))
		exit(1);
	pid = fork();
	if (!pid) {
		close(pipefd[1]);
		if (read(pipefd[0], &c, 1) != 1)
			_exit(1);
		for (long i = 0;; i++)
			probed(i);
	}
	close(pipefd[0]);
	*go = pipefd[1];
	return pid;
}

static void end(pid_t pid, int go)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(go);
}

/* Nanoseconds for a stop: read the registers and the word at rsp, continue. */
static double by_library(long stops)
{
	struct uprobe u = { .id = 1, .event = UPEV_BKPT, .where = (unsigned long)probed }, got;
	struct user_regs_struct regs;
	long word;
	double begun;
	int go;

	u.who = caller(&go);
	if (uprobe_register(&u))
		die("register");
	uprobe_arm();
	if (write(go, "", 1) != 1)
		exit(1);
	uprobe_poll(&got, -1);
	begun = now();
	for (long i = 0; i < stops; i++) {
		if (uprobe_poll(&got, -1) != 1 || uprobe_get_registers(u.who, &regs) ||
		    uprobe_read(u.who, regs.rsp, &word, sizeof(word)) != sizeof(word))
			die("poll");
	}
	begun = (now() - begun) / stops;
	uprobe_detach(u.who);
	end(u.who, go);
	return begun;
}

static double by_ptrace(long stops)
{
	unsigned long where = (unsigned long)probed;
	struct user_regs_struct regs;
	double begun;
	long code;
	pid_t pid;
	int go;

	pid = caller(&go);
	ptrace(PTRACE_ATTACH, pid, 0, 0);
	waitpid(pid, NULL, 0);
	code = ptrace(PTRACE_PEEKTEXT, pid, where, 0);
	ptrace(PTRACE_POKETEXT, pid, where, (code & ~0xffl) | 0xcc);
	if (write(go, "", 1) != 1)
		exit(1);
	ptrace(PTRACE_CONT, pid, 0, 0);
	waitpid(pid, NULL, 0);
	begun = now();
	for (long i = 0; i < stops; i++) {
		/* Executes the instruction under the breakpoint by a single step. */
		ptrace(PTRACE_GETREGS, pid, 0, &regs);
		regs.rip = where;
		ptrace(PTRACE_SETREGS, pid, 0, &regs);
		ptrace(PTRACE_POKETEXT, pid, where, code);
		ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
		waitpid(pid, NULL, 0);
		ptrace(PTRACE_POKETEXT, pid, where, (code & ~0xffl) | 0xcc);
		ptrace(PTRACE_CONT, pid, 0, 0);
		waitpid(pid, NULL, 0);
		ptrace(PTRACE_GETREGS, pid, 0, &regs);
		ptrace(PTRACE_PEEKDATA, pid, regs.rsp, 0);
	}
	begun = (now() - begun) / stops;
	end(pid, go);
	return begun;
}

/* Nanoseconds to send a byte to another process and back. */
static double by_pipes(long times)
{
	double begun = now();
	int go[2], back[2];
	pid_t pid;
	char c;

	if (pipe(go) || pipe(back))
		exit(1);
	pid = fork();
	if (!pid)
		while (read(go[0], &c, 1) == 1 && write(back[1], &c, 1) == 1)
			;
	for (long i = 0; i < times; i++)
		if (write(go[1], "", 1) != 1 || read(back[0], &c, 1) != 1)
			exit(1);
	begun = (now() - begun) / times;
	end(pid, go[1]);
	close(go[0]), close(back[0]), close(back[1]);
	return begun;
}

/* Nanoseconds for a call in a child, with the probes that prepare() has placed on the function. */
static double calls(long n, void (*prepare)(pid_t), void (*undo)(pid_t))
{
	int go[2], done[2];
	double took;
	pid_t pid;
	char c;

	if (pipe(go) || pipe(done))
		exit(1);
	pid = fork();
	if (!pid) {
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		took = now();
		for (long i = 0; i < n; i++)
			probed(i);
		took = now() - took;
		if (write(done[1], &took, sizeof(took)) != sizeof(took))
			_exit(1);
		_exit(0);
	}
	prepare(pid);
	if (write(go[1], "", 1) != 1 || read(done[0], &took, sizeof(took)) != sizeof(took))
		exit(1);
	waitpid(pid, NULL, 0);
	undo(pid);
	for (int i = 0; i < 2; i++)
		close(go[i]), close(done[i]);
	return took / n;
}

static void with_khandler(pid_t pid)
{
	struct uprobe u = { .id = 1, .event = UPEV_BKPT, .who = pid, .where = (unsigned long)probed,
			    .khandler = "count" };

	if (uprobe_register(&u))
		die("register with a khandler");
}

/* Without this, the kernel would take ptrace's breakpoint at the address for its own. */
static void without(pid_t pid)
{
	uprobe_detach(pid);
}

static void nothing(pid_t pid)
{
	(void)pid;
}

static int control(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_APPEND), status;

	if (fd < 0)
		return -1;
	status = write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
	close(fd);
	return status;
}

/*
 * This program is not position-independent: the offset of an address in the file is its distance
 * from the first page of code.
 */
extern char __executable_start;

static double tracefs_event(long hits)
{
	char line[512], path[256] = "";
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	double took = -1;

	if (length < 0)
		return -1;
	snprintf(line, sizeof(line), "p:trawlbench/stop%d %s:0x%lx\n", getpid(), path,
		 (unsigned long)probed - (unsigned long)&__executable_start);
	if (control(TRACEFS "uprobe_events", line))
		return -1;
	snprintf(line, sizeof(line), TRACEFS "events/trawlbench/stop%d/enable", getpid());
	if (!control(line, "1")) {
		took = calls(hits, nothing, nothing);
		control(line, "0");
	}
	snprintf(line, sizeof(line), "-:trawlbench/stop%d\n", getpid());
	control(TRACEFS "uprobe_events", line);
	return took;
}

static double least(double a, double b)
{
	return b < 0 || (a >= 0 && a < b) ? a : b;
}

int main(int argc, char **argv)
{
	long stops = argc > 1 ? atol(argv[1]) : 2000, hits = argc > 2 ? atol(argv[2]) : 20000;
	double library = -1, ptraced = -1, pipes = -1, khandler = -1, event = -1, plain = -1;

	/* Interleaved, so that other load affects all of them alike. */
	for (int i = 0; i < RUNS; i++) {
		library = least(by_library(stops), library);
		ptraced = least(by_ptrace(stops), ptraced);
		pipes = least(by_pipes(stops), pipes);
		plain = least(calls(hits, nothing, nothing), plain);
		khandler = least(calls(hits, with_khandler, without), khandler);
		event = least(tracefs_event(hits), event);
	}
	printf("libtrawl-uprobe stop %.0f\nptrace breakpoint stop %.0f\nratio %.2f\n", library,
	       ptraced, ptraced / library);
	printf("round trip by pipes %.0f\n", pipes);
	printf("khandler hit %.0f\ntracefs uprobe hit %.0f\nratio %.2f\n", khandler - plain,
	       event - plain, (khandler - plain) / (event - plain));
	return 0;
}
