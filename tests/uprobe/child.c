// SPDX-License-Identifier: MIT
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/uprobe/child.h"

int count, bad;

void ok(bool good, const char *what)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++count, what);
	if (!good) {
		bad++;
		printf("# errno %d (%s), %s\n", errno, strerror(errno), uprobe_error());
	}
	fflush(stdout);
}

/* Functions that children run. Each begins with an instruction that is executed out of line. */
volatile long sink;

__attribute__((noinline, noclone)) long probed(long value)
{
	sink = value;
	return value * 2;
}

__attribute__((noinline, noclone)) long second(long value)
{
	sink = value + 1;
	return value + 1;
}

__attribute__((noinline, noclone)) long factorial(long n)
{
	sink = n;
	return n < 2 ? 1 : n * factorial(n - 1);
}

static jmp_buf out;

__attribute__((noinline, noclone)) void jumps(long n)
{
	sink = n;
	if (!n && sink == n)
		longjmp(out, 1);
	if (n)
		jumps(n - 1);
	sink = n;
}

struct child start(void (*work)(struct child *, char what))
{
	struct child child;
	int go[2], done[2];

	child.shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (pipe(go) || pipe(done))
		exit(1);
	child.pid = fork();
	if (!child.pid) {
		char what;

		child.go = go[0], child.done = done[1];
		close(go[1]);
		while (read(go[0], &what, 1) == 1) {
			work(&child, what);
			if (write(done[1], &what, 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	close(go[0]);
	close(done[1]);
	child.go = go[1], child.done = done[0];
	return child;
}

void tell(struct child *child, char what)
{
	if (write(child->go, &what, 1) != 1)
		perror("tell");
}

bool is_done(struct child *child, int ms)
{
	struct timeval time = { ms / 1000, ms % 1000 * 1000 };
	fd_set set;
	char what;

	FD_ZERO(&set);
	FD_SET(child->done, &set);
	return select(child->done + 1, &set, NULL, NULL, &time) == 1 &&
	       read(child->done, &what, 1) == 1;
}

void finish(struct child *child)
{
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
	close(child->go);
	close(child->done);
	munmap((void *)child->shared, 4096);
}

static void *calls_probed(void *shared)
{
	((volatile long *)shared)[1] = gettid();
	((volatile long *)shared)[0] = probed(5);
	return NULL;
}

/* A second thread reaches the function while the first one counts in shared[2]. */
static void in_threads(struct child *child)
{
	pthread_t thread;

	child->shared[0] = child->shared[2] = 0;
	if (pthread_create(&thread, NULL, calls_probed, (void *)child->shared))
		_exit(1);
	while (!child->shared[0])
		child->shared[2]++;
	pthread_join(thread, NULL);
}

static void *waits_and_calls(void *shared)
{
	((volatile long *)shared)[1] = gettid();
	while (!((volatile long *)shared)[3])
		usleep(1000);
	probed(5);
	return NULL;
}

/*
 * A thread that stores its id in shared[1]; both wait for shared[3]. The first one calls three
 * times.
 */
static void in_one_thread(struct child *child)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, waits_and_calls, (void *)child->shared))
		_exit(1);
	while (!child->shared[3])
		usleep(1000);
	for (int i = 0; i < 3; i++)
		probed(6);
	pthread_join(thread, NULL);
}

unsigned long library_function(void)
{
	return (unsigned long)dlsym(RTLD_DEFAULT, "labs");
}

static void in_library(struct child *child)
{
	child->shared[0] = ((long (*)(long))library_function())(-9);
}

static volatile int *volatile nowhere;

/* What the process itself does or becomes. */
static void be(char what)
{
	switch (what) {
	case 'x':
		_exit(7);
	case 'c':
		if (!fork())
			_exit(0);
		wait(NULL);
		break;
	case 'v':
		if (!vfork())
			_exit(0);
		wait(NULL);
		break;
	case 'a':
		abort();
	case 'e':
		execl("/bin/cat", "cat", NULL);
		break;
	case 'S':
		execl(SUID_PROGRAM, "sleep", "60", NULL);
		break;
	}
}

void work(struct child *child, char what)
{
	switch (what) {
	case 'p':
		child->shared[0] = probed(21);
		break;
	case 's':
		child->shared[0] = second(1);
		break;
	case 'f':
		child->shared[0] = factorial(5);
		break;
	case 'j':
		if (!setjmp(out))
			jumps(3);
		break;
	case 'm':
		for (int i = 0; i < 1000; i++)
			child->shared[0] = probed(i);
		break;
	case 't':
		in_threads(child);
		break;
	case 'w':
		in_one_thread(child);
		break;
	case 'l':
		in_library(child);
		break;
	case 'k':
		syscall(SYS_getpid);
		break;
	case 'u':
		raise(SIGUSR1);
		break;
	case 'g':
		child->shared[0] = *nowhere;
		break;
	case 'b':
		__asm__ volatile("wrgsbase %0" : : "r"(0x123456000ul));
		child->shared[0] = probed(21);
		__asm__ volatile("wrgsbase %0" : : "r"(0ul));
		break;
	default:
		be(what);
	}
}

struct uprobe at(struct child *child, unsigned long id, long (*where)(long))
{
	return (struct uprobe){
		.id = id, .event = UPEV_BKPT, .who = child->pid, .where = (unsigned long)where };
}

struct uprobe event(struct child *child, enum uprobe_event event)
{
	return (struct uprobe){ .id = 100 + event, .event = event, .who = child->pid };
}
