/* SPDX-License-Identifier: MIT */
/* Mutexes between a recorder, which may have a real-time priority, and threads that do not. */
#ifndef TRAWL_LOCK_H
#define TRAWL_LOCK_H

#include <pthread.h>

/*
 * Whoever holds it has the priority of the first that waits: a busy machine may let him wait
 * long.
 */
static inline void lock_init(pthread_mutex_t *m)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(m, &attr);
	pthread_mutexattr_destroy(&attr);
}

#endif
