/* SPDX-License-Identifier: MIT */
/*
 * The back end "ptrace" single-steps a program: it records every branch, but the program runs more
 * than 10,000 times slower.
 */
#include "config.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture/branch/backend.h"
#include "capture/branch/tracer.h"
#include "common/branchrecord.h"

struct ptrace_state {
	struct tracer tracer;
	struct branch_scope scope;
	pthread_t thread;
	bool threaded;        /* `thread` must be joined */
	atomic_bool finished; /* the thread has queued its last event */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool attached, begun; /* under lock */
	int result;           /* result of tracer_attach() */
	struct trawl_error error;
};

static int usable(struct trawl_error *err)
{
	if (!branch_insn_known())
		return trawl_fail(err, TRAWL_CANNOT,
				  "branch:ptrace: trawl was built without Zydis, which decodes "
				  "instructions; build it with libzydis-dev");
#ifndef __x86_64__
	return trawl_fail(err, TRAWL_CANNOT, "branch:ptrace: is for x86-64 only");
#endif
	return 0;
}

static void set_and_signal(struct ptrace_state *p, bool *flag)
{
	pthread_mutex_lock(&p->lock);
	*flag = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

static void wait_for(struct ptrace_state *p, const bool *flag)
{
	pthread_mutex_lock(&p->lock);
	while (!*flag)
		pthread_cond_wait(&p->changed, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

/* The thread that seized a task is its tracer: no other thread may call ptrace() on it. */
static void *run(void *arg)
{
	struct ptrace_state *p = arg;
	sigset_t kick;

	sigemptyset(&kick);
	sigaddset(&kick, SIGRTMIN);
	pthread_sigmask(SIG_UNBLOCK, &kick, NULL);
	p->result = tracer_attach(&p->tracer, &p->scope, &p->error);
	set_and_signal(p, &p->attached);
	wait_for(p, &p->begun);
	if (!p->result && !atomic_load(&p->tracer.stop))
		tracer_begin(&p->tracer);
	tracer_run(&p->tracer);
	atomic_store(&p->finished, true);
	return NULL;
}

/* Does nothing: the signal only interrupts waitpid(). */
static void on_kick(int sig)
{
}

/*
 * Prints why trawl does not end yet. Discards earlier interrupts: only one that comes after this
 * note ends the wait.
 */
static void note_stuck(pid_t tid, const sigset_t *interrupts)
{
	const struct timespec none = { 0 };

	while (sigtimedwait(interrupts, NULL, &none) > 0)
		;
	fprintf(stderr,
		"trawl: -i branch: task %d sleeps in the kernel and cannot be detached yet; the "
		"file is whole, trawl waits for the task; another interrupt ends trawl at once, and then "
		"SIGTRAP will kill the task\n", tid);
}

/*
 * Waits until the thread has ended. Returns false if the user interrupted the wait for a stuck
 * task.
 */
static bool wait_for_end(struct ptrace_state *p)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	sigset_t interrupts;
	bool noted = false;

	sigemptyset(&interrupts);
	sigaddset(&interrupts, SIGINT);
	sigaddset(&interrupts, SIGTERM);
	while (!atomic_load(&p->finished)) {
		pid_t stuck = atomic_load(&p->tracer.stuck);

		if (stuck && !noted)
			note_stuck(stuck, &interrupts);
		noted |= stuck != 0;
		pthread_kill(p->thread, SIGRTMIN);
		if (!noted)
			nanosleep(&pause, NULL);
		else if (sigtimedwait(&interrupts, NULL, &pause) > 0)
			return false;
	}
	return true;
}

static void close_state(void *state)
{
	struct ptrace_state *p = state;

	atomic_store(&p->tracer.stop, true);
	branch_queue_close(&p->tracer.queue);
	if (p->threaded) {
		set_and_signal(p, &p->begun);
		if (!wait_for_end(p))
			return; /* the thread still uses *p; the process is about to end */
		pthread_join(p->thread, NULL);
	}
	tracer_free(&p->tracer);
	free(p);
}

static void *open_state(const struct branch_scope *scope, struct trawl_error *err)
{
	struct ptrace_state *p = calloc(1, sizeof(*p));
	struct sigaction kick = { .sa_handler = on_kick };
	int failure;

	if (!p) {
		trawl_fail(err, TRAWL_CANNOT, "branch:ptrace: out of memory");
		return NULL;
	}
	if (branch_queue_open(&p->tracer.queue, "branch:ptrace", err)) {
		tracer_free(&p->tracer);
		free(p);
		return NULL;
	}
	p->scope = *scope;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	sigaction(SIGRTMIN, &kick, NULL);
	failure = pthread_create(&p->thread, NULL, run, p);
	p->threaded = !failure;
	if (failure) {
		trawl_fail(err, TRAWL_CANNOT, "branch:ptrace: cannot start a thread: %s",
			   strerror(failure));
		close_state(p);
		return NULL;
	}
	wait_for(p, &p->attached);
	if (!p->result)
		return p;
	*err = p->error;
	close_state(p);
	return NULL;
}

static int start(void *state, struct trawl_error *err)
{
	struct ptrace_state *p = state;

	set_and_signal(p, &p->begun);
	return 0;
}

static size_t fds(void *state, struct pollfd *fds, size_t room)
{
	struct ptrace_state *p = state;

	if (!room)
		return 0;
	fds[0] = (struct pollfd){ .fd = p->tracer.queue.fd, .events = POLLIN };
	return 1;
}

static int drain(void *state, struct branch_sink *sink, struct trawl_error *err)
{
	struct ptrace_state *p = state;
	struct branch_event *events;
	size_t n = branch_queue_take(&p->tracer.queue, &events);
	int r = 0;

	for (size_t i = 0; i < n; i++) {
		if (!r && sink->event(sink, &events[i], err))
			r = -1;
		if (events[i].kind == BRANCH_EVENT_MAPS)
			free(events[i].maps);
	}
	branch_queue_handled(&p->tracer.queue);
	return r;
}

static void halt(void *state)
{
	struct ptrace_state *p = state;

	atomic_store(&p->tracer.stop, true);
}

/* Does not join the thread, which may wait until drain() makes room in the queue. */
static int stop(void *state, struct trawl_error *err)
{
	struct ptrace_state *p = state;

	pthread_kill(p->thread, SIGRTMIN);
	return 0;
}

/*
 * `finished` is set after the last event was queued. A stuck task's later events are after the end
 * of the capture, so they are not waited for.
 */
static bool over(void *state)
{
	struct ptrace_state *p = state;
	const struct timespec pause = { .tv_nsec = 1000000 };

	if (atomic_load(&p->finished) || atomic_load(&p->tracer.stuck))
		return true;
	pthread_kill(p->thread, SIGRTMIN);
	nanosleep(&pause, NULL);
	return false;
}

const struct branch_backend ptrace_backend = {
	.name = "ptrace",
	.number = BRANCH_HOW_PTRACE,
	.what = "every branch, by single steps from outside: exact, for any program, more than "
		"10,000 times slower",
	.usable = usable,
	.open = open_state,
	BACKEND_FUNCTIONS,
};
