/* SPDX-License-Identifier: MIT */
/*
 * A program for the capture tests, whose hits of target:hit can be counted beforehand.
 *
 *	target hits N [USEC]   N hits, USEC apart
 *	target tree N          N hits in the main thread, a second thread and a child each: 3 N
 *	target tasks N HITS    N children one after the other and N threads, HITS each: 2 N HITS
 *	target takeover N      a second thread, on another CPU, executes target hits N in the first one's place
 *	target wait            prints "ready", then a hit every 10 ms until SIGTERM; then exits with 7
 *	target exit STATUS     one hit, then exits
 *	target abort           one hit, then aborts
 *	target thread-abort    one hit in a child and in the first thread; the child aborts, then a
 *	                       thread, whose TID is printed, while the first thread and another one wait
 *	target text BYTES N    N hits of target:text with a string of BYTES letters
 *	target id              prints uid, gid and $HOME, no hits
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sdt.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t ended;

static void end(int sig)
{
	ended = 1;
}

int target_hits(long n, long pause);

__attribute__((noinline)) int target_hits(long n, long pause)
{
	const char *name = "target";

	for (long i = 0; i < n && !ended; i++) {
		long square = i * i;

		DTRACE_PROBE3(target, hit, (int)i, square, name);
		if (pause)
			usleep((useconds_t)pause);
	}
	return (int)n;
}

static void *thread(void *n)
{
	target_hits(*(long *)n, 0);
	return NULL;
}

static int tree(long n)
{
	pthread_t id;
	pid_t child;

	if (pthread_create(&id, NULL, thread, &n))
		return 1;
	pthread_join(id, NULL);
	child = fork();
	if (!child) {
		target_hits(n, 0);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	target_hits(n, 0);
	return 0;
}

static int tasks(long n, long hits)
{
	for (long i = 0; i < n; i++) {
		pthread_t id;
		pid_t child = fork();

		if (!child) {
			target_hits(hits, 0);
			_exit(0);
		}
		if (pthread_create(&id, NULL, thread, &hits))
			return 1;
		pthread_join(id, NULL);
		waitpid(child, NULL, 0);
	}
	return 0;
}

static void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *take_over(void *n)
{
	stay_on(0);
	usleep(100000);
	execl("/proc/self/exe", "target", "hits", n, NULL);
	return NULL;
}

static int leader(char *n)
{
	pthread_t id;

	stay_on(1);
	if (pthread_create(&id, NULL, take_over, n))
		return 1;
	for (;;)
		pause();
}

static int wait_for_end(void)
{
	signal(SIGTERM, end);
	puts("ready");
	fflush(stdout);
	target_hits(1L << 40, 10000);
	return 7;
}

static int texts(size_t bytes, long n)
{
	char *text = malloc(bytes + 1);

	if (!text)
		return 1;
	memset(text, 'x', bytes);
	text[bytes] = '\0';
	for (long i = 0; i < n; i++)
		DTRACE_PROBE2(target, text, text, (int)i);
	free(text);
	return 0;
}

static void *wait_or_abort(void *aborts)
{
	if (!aborts)
		pause();
	printf("%d\n", gettid());
	fflush(stdout);
	abort();
}

static int thread_abort(void)
{
	pthread_t id;
	pid_t child = fork();

	target_hits(1, 0);
	if (!child)
		abort();
	waitpid(child, NULL, 0);
	if (!pthread_create(&id, NULL, wait_or_abort, NULL) &&
	    !pthread_create(&id, NULL, wait_or_abort, &child))
		pause();
	return 1;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? atol(argv[2]) : 1;

	if (!strcmp(mode, "hits"))
		return target_hits(n, argc > 3 ? atol(argv[3]) : 0) != n;
	if (!strcmp(mode, "tree"))
		return tree(n);
	if (!strcmp(mode, "tasks"))
		return tasks(n, argc > 3 ? atol(argv[3]) : 1);
	if (!strcmp(mode, "takeover"))
		return leader(argv[2]);
	if (!strcmp(mode, "wait"))
		return wait_for_end();
	if (!strcmp(mode, "text"))
		return texts((size_t)n, argc > 3 ? atol(argv[3]) : 1);
	if (!strcmp(mode, "thread-abort"))
		return thread_abort();
	if (!strcmp(mode, "id"))
		return printf("%d %d %s\n", getuid(), getgid(), getenv("HOME")) < 0;
	target_hits(1, 0);
	if (!strcmp(mode, "abort"))
		abort();
	return (int)n;
}
