/* SPDX-License-Identifier: MIT */
/* The threads of a writer beside a recorder, which may have a real-time priority. */
#ifndef TRAWL_FORMAT_THREAD_H
#define TRAWL_FORMAT_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/*
 * A mutex whose holder has the priority of the first that waits: a busy machine may let him wait
 * long.
 */
void lock_init(pthread_mutex_t *m);

/*
 * Starts a thread with the ordinary priority, whatever the caller's is: what it does can wait, and
 * the program that is recorded may need the processor. False when there is no memory for it.
 */
bool thread_start(pthread_t *t, void *(*run)(void *), void *arg);

/*
 * For a thread: signals are for the program's own threads. SIGRTMAX is left to the program, which
 * may have something to say to each of its threads (Linux' capabilities are a thread's own),
 * and SIGSYS: a thread that blocks it is killed where a filter of system calls would only refuse.
 */
void thread_block_signals(void);

/* While the caller waits for a thread, that has the caller's priority. Was there any to lend? */
bool thread_lend(pthread_t t);
/* It waits no longer; `lent` is what thread_lend() returned. */
void thread_take_back(pthread_t t, bool lent);

#endif
