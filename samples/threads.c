/* SPDX-License-Identifier: MIT */
/*
 * Threads and children to follow: threads [THREADS [CHILDREN [HITS]]] (default 3 2 10) starts
 * threads in itself, then forks children that start as many; each thread hits
 *
 *	usdt threads:hit   who (0 .. THREADS - 1), child (0 is the parent), i (0 .. HITS - 1)
 *
 * so that a trace has THREADS * (CHILDREN + 1) * HITS events.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sdt.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 64 };

struct worker {
	pthread_t thread;
	int who, child, hits;
};

static void *work(void *arg)
{
	const struct worker *w = arg;

	for (int i = 0; i < w->hits; i++)
		DTRACE_PROBE3(threads, hit, w->who, w->child, i);
	return NULL;
}

static int run(int threads, int child, int hits)
{
	struct worker workers[MOST];
	int started = 0;

	for (int i = 0; i < threads && i < MOST; i++) {
		workers[i] = (struct worker){ .who = i, .child = child, .hits = hits };
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			break;
		started++;
	}
	for (int i = 0; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	return started == threads ? 0 : 1;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 3;
	int children = argc > 2 ? atoi(argv[2]) : 2;
	int hits = argc > 3 ? atoi(argv[3]) : 10;
	int status, bad = run(threads, 0, hits);

	for (int child = 1; child <= children; child++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(run(threads, child, hits));
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			bad = 1;
	}
	printf("%d hits\n", threads * (children + 1) * hits);
	return bad;
}
