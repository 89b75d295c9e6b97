/* SPDX-License-Identifier: MIT */
#include <sched.h>
#include <signal.h>

#include "format/thread.h"

void lock_init(pthread_mutex_t *m)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(m, &attr);
	pthread_mutexattr_destroy(&attr);
}

bool thread_start(pthread_t *t, void *(*run)(void *), void *arg)
{
	struct sched_param ordinary = { 0 };
	pthread_attr_t attr;
	bool ok;

	if (pthread_attr_init(&attr))
		return false;
	ok = !pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED) &&
	     !pthread_attr_setschedpolicy(&attr, SCHED_OTHER) &&
	     !pthread_attr_setschedparam(&attr, &ordinary) &&
	     !pthread_create(t, &attr, run, arg);
	pthread_attr_destroy(&attr);
	return ok;
}

void thread_block_signals(void)
{
	sigset_t all;

	sigfillset(&all);
	sigdelset(&all, SIGRTMAX);
	sigdelset(&all, SIGSYS);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
}

bool thread_lend(pthread_t t)
{
	struct sched_param param;
	int policy;

	return !pthread_getschedparam(pthread_self(), &policy, &param) && policy != SCHED_OTHER &&
	       !pthread_setschedparam(t, policy, &param);
}

void thread_take_back(pthread_t t, bool lent)
{
	struct sched_param ordinary = { 0 };

	if (lent)
		pthread_setschedparam(t, SCHED_OTHER, &ordinary);
}
